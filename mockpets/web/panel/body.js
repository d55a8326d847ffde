// The body of a request in a form: fields by its schema, or its text.

import { Fields } from "./fields.js";
import { compact, isValidObject, members, toObject } from "./json.js";
import { html, useState } from "./preact.js";
import { bodyOfType } from "./sending.js";
import { Segments } from "./ui.js";
import { indent } from "./values.js";

/**
 * @import { Put } from "./form.js"
 * @import { Body as Media } from "./openapi.js"
 * @import { On } from "./preact.js"
 * @import { FormValues } from "./sending.js"
 */

/**
 * Return the body that a form has at first: the example, as JSON also for the media types of forms.
 * @param {Media} media
 */
export const exampleOf = (media) =>
  typeof media.example === "string" && !media.isJson
    ? media.example
    : JSON.stringify(media.example, null, hasFields(media) ? 0 : 2);

/** @param {Media} media */
const hasFields = ({ isJson, isForm, schema }) =>
  (isJson || isForm) && Object.keys(schema.properties).length > 0;

/** @param {{ bodies: Media[], values: FormValues, put: Put }} properties */
export function Body({ bodies, values: { type, body = "" }, put }) {
  const [isText, setText] = useState(false);
  const media = bodyOfType(bodies, type);
  if (!media) return null;
  const record = recordIn(media, body);
  /** @param {string} as */
  const show = (as) => {
    setText(as === "text");
    if (record)
      put({ body: as === "text" ? (indent(body) ?? body) : compact(body) });
  };
  return html`<fieldset class="fields">
    <legend class="soft">Body</legend>
    <div class="line">
      ${
        bodies.length > 1 &&
        html`<${MediaTypes} bodies=${bodies} type=${type} put=${put} />`
      }
      ${
        hasFields(media) &&
        html`<${Segments}
          label="Body as"
          value=${record && !isText ? "fields" : "text"}
          options=${[
            ["fields", "Form"],
            ["text", "JSON"],
          ]}
          choose=${show}
        />`
      }
      ${
        hasFields(media) &&
        !record &&
        html`<span class="soft">Fix the JSON to see the form.</span>`
      }
    </div>
    ${
      record && !isText
        ? html`<${Fields}
          schema=${media.schema}
          json=${record.json}
          change=${(/** @type {string} */ json) =>
            put({ body: record.bodyWith(json) })}
        />`
        : html`<textarea
          aria-label="Body"
          name="body"
          rows="8"
          spellcheck=${false}
          value=${body}
          onInput=${(/** @type {On<HTMLTextAreaElement>} */ event) =>
            put({ body: event.target.value })}
        ></textarea>`
    }
  </fieldset>`;
}

/**
 * Return the record in a body, and the body with another one; null if fields cannot show it.
 * @param {Media} media
 * @param {string} body
 * @returns {{ json: string, bodyWith: (json: string) => string } | null}
 */
function recordIn(media, body) {
  if (!hasFields(media) || !isValidObject(body)) return null;
  const { envelope } = media;
  if (envelope === null) return { json: body, bodyWith: (json) => json };
  const whole = members(body);
  const record = whole.get(envelope) ?? "{}";
  return isValidObject(record)
    ? {
        json: record,
        bodyWith: (json) => toObject(whole.set(envelope, json)),
      }
    : null;
}

/**
 * The list of media types. Another one has a body of its own.
 * @param {{ bodies: Media[], type: string | undefined, put: Put }} properties
 */
function MediaTypes({ bodies, type, put }) {
  /** @param {On<HTMLSelectElement>} event */
  const choose = (event) => {
    const media = bodyOfType(bodies, event.target.value);
    if (media && media.type !== type)
      put({ type: media.type, body: exampleOf(media) });
  };
  return html`<select
    aria-label="Media type"
    value=${type}
    onChange=${choose}
  >
    ${bodies.map(
      (each) => html`<option
        key=${each.type}
        value=${each.type}
        selected=${each.type === type}
      >
        ${each.type}
      </option>`,
    )}
  </select>`;
}
