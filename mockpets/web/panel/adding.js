// The forms that add a record to a collection.

import { isHidden, labelOf } from "./described.js";
import { send } from "./exchange.js";
import { Fields, textIn } from "./fields.js";
import { isObject, isText, jsonOf, members, textOf, toObject } from "./json.js";
import { sendable } from "./openapi.js";
import { html, useRef, useState } from "./preact.js";
import { addRecord } from "./records.js";
import { requestOf } from "./sending.js";
import { describeError, handler, loadedState } from "./store.js";
import { Button } from "./ui.js";

/**
 * @import { CollectionSummary } from "../../../kit/control.js"
 * @import { Create, Parent } from "./described.js"
 * @import { Properties } from "./json.js"
 * @import { Property, Schema } from "./openapi.js"
 * @import { Ref } from "./preact.js"
 */

/**
 * Add a record with fields: by the operation of the contract as any client would, if there is one.
 * @param {{
 *   collection: CollectionSummary,
 *   schema: Schema,
 *   create?: Create,
 *   parent?: Parent,
 * }} properties
 */
export function Add({ collection, schema: whole, create, parent }) {
  const schema =
    create?.bodies[0]?.schema ??
    withParent(sendable(whole), collection, parent);
  const [record, setRecord] = useState(() => (create ? initial(schema) : "{}"));
  const [response, setResponse] = useState({ text: "", isError: false });
  const add = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setResponse({ text: "Waiting for the response.", isError: false });
    try {
      const text = create
        ? await sendRecord(create, record, schema, collection)
        : await addRecord(collection, record);
      setResponse({ text, isError: false });
    } catch (error) {
      setResponse({ text: describeError(error), isError: true });
    }
  };
  return html`<form
    class="panel-form"
    aria-label="Add a record"
    noValidate
    onSubmit=${add}
  >
    <div class="fields">
      <${Fields} schema=${schema} json=${record} change=${setRecord} />
    </div>
    <${Button} kind="primary" type="submit" text="Add" />
    <p role="status" class=${response.isError ? "failure" : "soft"}>
      ${
        response.text ||
        (create
          ? html`
            Sends <code>POST ${collection.path}</code>; active scenarios apply.
          `
          : "Adds the record directly. Properties that you leave out are generated.")
      }
    </p>
  </form>`;
}

/**
 * Return the properties that have an example, as JSON.
 * @param {Schema} schema
 */
const initial = ({ properties }) =>
  toObject(
    Object.entries(properties).flatMap(([name, { type, examples, sample }]) =>
      examples?.length && sample === undefined
        ? [[name, jsonOf(textIn(examples[0]), type === "string")]]
        : [],
    ),
  );

/**
 * Return the schema of a record with the key of its parent, and without a key that no response
 * shows.
 * @param {Schema} schema
 * @param {CollectionSummary} collection
 * @param {Parent} [parent]
 * @returns {Schema}
 */
function withParent(schema, { id }, parent) {
  /** @type {Record<string, Property>} */
  const properties = {};
  if (parent)
    properties[parent.column] = schema.properties[parent.column] ?? {
      label: `of ${parent.name}`,
    };
  for (const [name, property] of Object.entries(schema.properties))
    if (name !== parent?.column && !(name === id && isHidden(id)))
      properties[name] = property;
  return { ...schema, required: [], properties };
}

/**
 * Send a record by the operation of the contract, and return what to show of the response.
 * @param {Create} create
 * @param {string} record
 * @param {Schema} schema
 * @param {CollectionSummary} collection
 */
async function sendRecord(create, record, schema, collection) {
  const envelope = create.bodies[0]?.envelope ?? null;
  const request = requestOf(create, {
    key: loadedState().settings.key,
    body: envelope === null ? record : toObject([[envelope, record]]),
  });
  const exchange = await send(request);
  if ("reason" in exchange)
    throw new Error("No response: the connection failed.");
  const { response, text } = exchange;
  if (!response.ok) throw new Error(`${response.status}: ${messageIn(text)}`);
  return `${response.status}: ${added(text, schema, collection)}`;
}

/**
 * Return the message in the body of an error, or the body.
 * @param {string} text
 */
function messageIn(text) {
  try {
    const properties = members(text);
    const message = ["message", "detail"]
      .map((name) => properties.get(name))
      .find(isText);
    return textOf(message) || text;
  } catch {
    return text;
  }
}

/**
 * Return what a response says about the record that was added.
 * @param {string} text
 * @param {Schema} schema
 * @param {CollectionSummary} collection
 */
function added(text, schema, { id: key }) {
  try {
    const whole = members(text);
    const nested = [...whole.values()].filter(isObject).map(members);
    // It may be in an envelope.
    const record = [whole, ...nested].find((each) => each.has(key)) ?? whole;
    const names = [...new Set([key, labelOf(schema)])]
      .map((each) => textOf(record.get(each)))
      .filter(Boolean);
    return names.length
      ? `Added record ${names.join(", ")}.`
      : "Added a record.";
  } catch {
    return text;
  }
}

/**
 * Add a record as JSON.
 * @param {{
 *   collection: CollectionSummary,
 *   names: string[],
 *   first?: Properties,
 * }} properties
 *   the example has properties of these names, and the values of the first record
 */
export function AddJson({ collection, names, first }) {
  const example = toObject(
    names.map((name) => [name, first?.get(name) ?? "null"]),
  );
  /** @type {Ref<HTMLTextAreaElement>} */
  const field = useRef(null);
  const add = handler(() => addRecord(collection, field.current.value));
  return html`<form
    class="panel-form"
    aria-label="Add a record"
    onSubmit=${add}
  >
    <label class="grow">
      JSON${" "}
      <textarea
        ref=${field}
        name="value"
        rows="3"
        spellcheck=${false}
        required
        defaultValue=${example}
      ></textarea>
    </label>
    <${Button} kind="primary" type="submit" text="Add" />
  </form>`;
}
