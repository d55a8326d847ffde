// What toolbar and panel know of the active scenarios, of the contracts, and of the responses that they choose.

/**
 * @import { Connection } from "../connection.js"
 * @import { ErrorReply, Fault, ScenarioDocument, State, StatusReply } from "../control.js"
 */

/**
 * Return the contract to which a path without a session belongs, if any.
 * @param {Pick<State, "contracts">} state
 * @param {string} path
 */
export function contractOf({ contracts }, path) {
  const found = contracts.filter(({ base }) =>
    `${path}/`.startsWith(`${base}/`),
  );
  return found.sort((one, other) => other.base.length - one.base.length)[0];
}

/**
 * Return the reply with a status: the error that the contract of a path has for it, if any.
 * @param {Pick<State, "contracts">} state
 * @param {string} path
 * @param {number} status
 * @returns {ErrorReply | StatusReply}
 */
export function errorReply(state, path, status) {
  const error = contractOf(state, path)?.errors[status];
  return error ? { error } : { status };
}

/**
 * Return the fault that the server describes with a word, such as `cut`.
 * @param {Pick<State, "faults">} state
 * @param {string} word
 */
export function faultCalled({ faults }, word) {
  const names = /** @type {Fault[]} */ (Object.keys(faults));
  return names.find((name) => faults[name] === word);
}

/**
 * Return active scenarios with another one on top. An expression replaces another that sets the same.
 * @param {readonly string[]} active
 * @param {string} name
 */
export function stacked(active, name) {
  const others = active.filter(
    (each) => each !== "default" && aspect(each) !== aspect(name),
  );
  return [name, ...others];
}

/**
 * Return what of an operation an expression sets, such as `getPet:response` for `getPet:404`; of a scenario, its name.
 * @param {string} name
 */
function aspect(name) {
  return name
    .replace(/:[\d.]+[ms]+$/, ":delay")
    .replace(/:(?!(?:delay|hold)$).*/, ":response");
}

/**
 * Return what activates scenarios. A document that a test has sent is active only once, so it is sent again.
 * @param {Pick<Connection, "call">} connection
 * @param {Pick<State, "scenarios">} state
 * @param {readonly string[]} names
 * @returns {Promise<(string | ScenarioDocument)[]>}
 */
export async function activatable(connection, { scenarios }, names) {
  const document = async (/** @type {string} */ name) => {
    const isSent = scenarios.some((each) => each.name === name && each.inline);
    if (!isSent) return name;
    const { override, text } = await connection.call("GET /scenarios/{name}", {
      path: { name },
    });
    // The text of a document that was sent is JSON.
    return override || text === null
      ? name
      : /** @type {ScenarioDocument} */ (JSON.parse(text));
  };
  return Promise.all(names.map(document));
}
