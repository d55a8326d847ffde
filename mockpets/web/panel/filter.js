// A filter of tokens, such as `status:5xx session:*`.

import { html, useEffect, useRef, useState } from "./preact.js";
import { Chip, Icon, Kbd } from "./ui.js";

/** @import { On, Ref } from "./preact.js" */

/**
 * The keys of a filter: the hint of each, the values to suggest, and the hints of these.
 * @typedef {Record<string, { hint?: string | undefined, values?: () => string[], hints?: Record<string, string> }>} Keys
 */

const PART = /([^\s":]+):("[^"]*"|\S+)|"([^"]*)"|(\S+)/g;
const MOST_SUGGESTED = 20;

/**
 * A part of a filter; the key is null for free text.
 * @typedef {{ source: string, key: string | null, value: string }} Part
 */

/**
 * Return the parts of a filter.
 * @param {string} text
 * @param {(key: string) => boolean} isKey
 * @returns {Part[]}
 */
export function filterParts(text, isKey) {
  return [...text.matchAll(PART)].map(([source, key, value = "", quoted]) =>
    key && isKey(key)
      ? { source, key, value: value.replace(/^"|"$/g, "") }
      : { source, key: null, value: quoted ?? source },
  );
}

/**
 * Return whole tokens, which become chips, and the rest, which stays in the field.
 * @param {string} value
 * @param {(key: string) => boolean} isKey
 * @returns {[tokens: string[], rest: string]}
 */
function splitFilter(value, isKey) {
  const parts = filterParts(value, isKey);
  const isWhole = (/** @type {Part} */ { key, source }) =>
    key !== null || /^".+"$/.test(source);
  return [
    parts.filter(isWhole).map((part) => part.source),
    parts
      .filter((part) => !isWhole(part))
      .map((part) => part.source)
      .join(" "),
  ];
}

/** @typedef {{ text: string, hint?: string | undefined }} Suggestion */

/**
 * Return what may follow: the keys, or the values of a key.
 * @param {string} text
 * @param {Keys} keys
 * @returns {Suggestion[]}
 */
function suggestions(text, keys) {
  const [, key, start] = /^(?:([^\s":]+):)?(\S*)$/.exec(text) ?? [];
  if (start === undefined) return [];
  const lower = start.toLowerCase();
  if (!key)
    return Object.entries(keys)
      .filter(([each]) => each.toLowerCase().startsWith(lower))
      .map(([each, { hint }]) => ({ text: `${each}:`, hint }));
  const { values = () => [], hints = {} } = keys[key] ?? {};
  const isPrefix = (/** @type {string} */ value) =>
    Number(value.toLowerCase().startsWith(lower));
  return values()
    .filter((value) => value.toLowerCase().includes(lower) && value !== start)
    .sort((one, other) => isPrefix(other) - isPrefix(one))
    .slice(0, MOST_SUGGESTED)
    .map((value) => ({
      text: `${key}:${/\s/.test(value) ? `"${value}"` : value}`,
      hint: hints[value] ?? "",
    }));
}

/**
 * A field for a filter of tokens, such as `status:5xx session:*`, with suggestions.
 * @param {object} properties
 * @param {string} properties.value
 * @param {(value: string) => void} properties.change called while the user types
 * @param {string} properties.placeholder
 * @param {Keys} properties.keys
 * @param {(key: string) => boolean} [properties.isKey] allows other keys than those that are suggested
 */
export function TokenFilter({
  value,
  change,
  placeholder,
  keys,
  isKey = (key) => Object.hasOwn(keys, key),
}) {
  const split = (/** @type {string} */ text) => splitFilter(text, isKey);
  const [parts, setParts] = useState(() => split(value));
  const [tokens, text] = parts;
  const [shows, setShows] = useState(false);
  const [at, setAt] = useState(-1);
  /** @type {Ref<HTMLInputElement>} */
  const field = useRef(null);
  const joined = [...tokens, text.trim()].filter(Boolean).join(" ");
  useEffect(() => {
    if (value !== joined) setParts(split(value));
  }, [value]);
  const set = (
    /** @type {string[]} */ nextTokens,
    /** @type {string} */ nextText,
  ) => {
    setParts([nextTokens, nextText]);
    setAt(-1);
    change([...nextTokens, nextText.trim()].filter(Boolean).join(" "));
  };
  const input = (/** @type {On<HTMLInputElement>} */ event) => {
    const next = event.target.value;
    setShows(true);
    const [whole, rest] = split(next);
    if (/\s$/.test(next) && whole.length) set([...tokens, ...whole], rest);
    else set(tokens, next);
  };
  const commit = () => {
    const [whole, rest] = split(text);
    if (whole.length) set([...tokens, ...whole], rest);
    setShows(false);
  };
  const options = shows ? suggestions(text, keys) : [];
  const pick = (/** @type {Suggestion} */ option) => {
    if (option.text.endsWith(":")) set(tokens, option.text);
    else {
      set([...tokens, option.text], "");
      setShows(false);
    }
    field.current.focus();
  };
  const keyDown = (/** @type {KeyboardEvent} */ event) => {
    const n = options.length;
    const [option, last] = [options[at], tokens.at(-1)];
    if (event.key === "ArrowDown" && n) setAt((at + 1) % n);
    else if (event.key === "ArrowUp" && n) setAt((Math.max(at, 0) + n - 1) % n);
    else if (event.key === "Enter" && option) pick(option);
    else if (event.key === "Enter") commit();
    else if (event.key === "Backspace" && !text && last !== undefined)
      set(tokens.slice(0, -1), last);
    else if (event.key === "Escape" && options.length) setShows(false);
    else if (event.key === "Escape") field.current.blur();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const remove = (/** @type {number} */ index) => {
    set(
      tokens.filter((_, each) => each !== index),
      text,
    );
    field.current.focus();
  };
  const leave = (/** @type {On<HTMLElement, FocusEvent>} */ event) => {
    const { currentTarget, relatedTarget } = event;
    if (!(
      relatedTarget instanceof Node && currentTarget.contains(relatedTarget)
    ))
      commit();
  };
  return html`<div class="field token-filter" onFocusOut=${leave}>
    <${Icon} name="filter" />
    ${tokens.map(
      (token, index) => html`<${Chip}
        key=${token}
        class="chip token"
        label=${`Remove ${token}`}
        remove=${() => remove(index)}
      >
        <span class="name">${token}</span>
      <//>`,
    )}
    <input
      ref=${field}
      data-search
      role="combobox"
      aria-label="Filter"
      aria-expanded=${String(options.length > 0)}
      aria-controls="filter-options"
      aria-activedescendant=${options[at] ? `filter-${at}` : undefined}
      autocomplete="off"
      spellcheck=${false}
      placeholder=${tokens.length ? "" : placeholder}
      value=${text}
      onInput=${input}
      onKeyDown=${keyDown}
      onClick=${() => setShows(true)}
    />
    <${Kbd} keys="/" />
    <${Suggestions} options=${options} at=${at} pick=${pick} />
  </div>`;
}

/** @param {{ options: Suggestion[], at: number, pick: (option: Suggestion) => void }} properties */
function Suggestions({ options, at, pick }) {
  const option = (
    /** @type {Suggestion} */ suggestion,
    /** @type {number} */ index,
  ) => {
    const onMouseDown = (/** @type {Event} */ event) => {
      event.preventDefault(); // keeps the focus in the field
      pick(suggestion);
    };
    return html`<div
      class="option"
      role="option"
      id="filter-${index}"
      aria-selected=${String(index === at)}
      key=${suggestion.text}
      onMouseDown=${onMouseDown}
    >
      <span class="name">${suggestion.text}</span>
      ${
        suggestion.hint &&
        html`<span class="soft hint">${suggestion.hint}</span>`
      }
    </div>`;
  };
  return html`<div
    class="popup left"
    id="filter-options"
    role="listbox"
    aria-label="Filters"
    hidden=${!options.length}
  >
    ${options.map(option)}
  </div>`;
}
