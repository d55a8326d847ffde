// What the toolbar and the panel know of the active scenarios, and of the contracts.

/**
 * @import { Connection } from "../connection.js"
 * @import { ScenarioDocument, State } from "../control.js"
 */

/**
 * Return the contract to which a path without a session belongs, if any.
 * @param {State} state
 * @param {string} path
 */
export function contractOf({ contracts }, path) {
  const found = contracts.filter(({ base }) =>
    `${path}/`.startsWith(`${base}/`),
  );
  return found.sort((one, other) => other.base.length - one.base.length)[0];
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
 * @param {State} state
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
