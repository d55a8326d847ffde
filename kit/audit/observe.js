// What runs in the page: it reports what a user sees, and what nothing catches.

/** The function of the page that passes a snapshot or an error to the audit. */
export const BINDING = /** @type {const} */ ("__mockpetsAudit");
/** The function of the page that returns a snapshot. */
export const NOW = /** @type {const} */ (`${BINDING}Now`);

/** @import { Candidate, PageSnapshot, Place, Report, Step } from "./types.d.ts" */

/**
 * Report each change of the visible page. It runs before the page's own scripts, and refers to nothing outside itself.
 * @param {typeof BINDING} binding
 */
export function observe(binding) {
  if (window !== window.top) return; // frames are often third parties'
  const PAUSE_MS = 100; // between two snapshots; a message that is shorter than six of them cannot be read
  const CONTROLS =
    "button, a, label, option, select, summary, legend, [role=button], [role=tab], [role=menuitem], [role=link], [role=option]";
  const ANNOUNCED =
    "[role=alert], [role=status], [role=log], [aria-live=polite], [aria-live=assertive], output, dialog, [role=dialog], [role=alertdialog], h1, h2, h3, h4, h5, h6, [role=heading]";
  const NO_TEXT = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "TITLE"]);
  const PAINTED = new Set([
    "IMG",
    "SVG",
    "CANVAS",
    "VIDEO",
    "PROGRESS",
    "METER",
  ]);
  const INLINE = /^(?:inline|contents)/;
  const report = (/** @type {Report} */ what) => window[binding](what);

  // Random content would differ from run to run.
  let seed = 1;
  Math.random = () => {
    seed = (seed * 16807) % 2147483647;
    return seed / 2147483647;
  };

  // Apps throw objects that are no errors, such as Angular's HttpErrorResponse, or what an interceptor made of it.
  const textOf = (/** @type {unknown} */ error) => {
    const { name, message } =
      /** @type {{ name?: string | null, message?: unknown }} */ (error ?? {});
    if (typeof message === "string") return `${name ?? "Error"}: ${message}`;
    try {
      return error instanceof Object ? JSON.stringify(error) : String(error);
    } catch {
      return String(error);
    }
  };
  // After the handlers of the page, which may take an error upon themselves.
  addEventListener("error", (event) => {
    if (!(event instanceof ErrorEvent)) return;
    const { filename, message } = event;
    /** @type {unknown} */
    const error = event.error;
    // A third party's script is not the app's.
    if (filename && !filename.includes(location.origin)) return;
    setTimeout(
      () =>
        event.defaultPrevented ||
        report({ exception: error ? textOf(error) : message }),
    );
  });
  addEventListener("unhandledrejection", (event) => {
    setTimeout(
      () =>
        event.defaultPrevented || report({ rejection: textOf(event.reason) }),
    );
  });

  /** @type {Map<Element, CSSStyleDeclaration>} */
  let styles = new Map();
  /** @param {Element} element */
  function style(element) {
    let known = styles.get(element);
    if (!known) styles.set(element, (known = getComputedStyle(element)));
    return known;
  }

  /** @param {Element} element */
  function isVisible(element) {
    if (
      !element.checkVisibility({
        opacityProperty: true,
        visibilityProperty: true,
      })
    )
      return false;
    if (style(element).display === "contents") return true;
    const { width, height, right, bottom } = element.getBoundingClientRect();
    if (
      style(element).display.startsWith("inline") &&
      element.getClientRects().length === 0
    )
      return false;
    // Text for screen readers is one pixel large, or far outside the page.
    return (
      width > 1 && height > 1 && right + scrollX > 0 && bottom + scrollY > 0
    );
  }

  /** @param {Element} element */
  function blockOf(element) {
    let block = element;
    while (block.parentElement && INLINE.test(style(block).display))
      block = block.parentElement;
    return block;
  }

  /**
   * Yield the elements and texts below a node, also those of open shadow roots.
   * @param {Node} root
   * @returns {Generator<Element | Text>}
   */
  function* nodesIn(root) {
    for (const node of root.childNodes) {
      if (node instanceof Text) yield node;
      else if (node instanceof Element && !NO_TEXT.has(node.tagName)) {
        yield node;
        if (node.shadowRoot) yield* nodesIn(node.shadowRoot);
        yield* nodesIn(node);
      }
    }
  }

  /** @param {Element} element */
  function isPainted(element) {
    if (PAINTED.has(element.tagName.toUpperCase())) return true;
    if (element.childElementCount || element.textContent?.trim()) return false;
    const { backgroundColor, backgroundImage, borderTopWidth, borderTopStyle } =
      style(element);
    const hasColor =
      !/^(?:transparent|rgba\(.*, 0\))$/.test(backgroundColor) ||
      backgroundImage !== "none";
    return (
      hasColor || (borderTopStyle !== "none" && parseFloat(borderTopWidth) > 0)
    );
  }

  /** @returns {PageSnapshot} */
  function snapshot() {
    styles = new Map();
    /** @type {Map<Element, { text: string, parent: Element, announced: boolean, control: boolean }>} */
    const blocks = new Map();
    let fields = 0;
    const visuals = [];
    /** @type {string[]} */
    const kept = [];
    let controls = 0;
    let asksPassword = false;
    for (const node of document.body ? nodesIn(document.body) : []) {
      if (node instanceof Text) {
        const text = node.data;
        const parent = node.parentElement;
        if (
          !parent ||
          !text.trim() ||
          parent.tagName === "TEXTAREA" ||
          !isVisible(parent)
        )
          continue;
        const block = blockOf(parent);
        const line = blocks.get(block) ?? {
          text: "",
          parent,
          announced: block.closest(ANNOUNCED) !== null,
          control: true,
        };
        line.text += line.parent === parent ? text : ` ${text}`;
        line.parent = parent;
        line.control &&= parent.closest(CONTROLS) !== null;
        blocks.set(block, line);
        continue;
      }
      if (
        node.matches(
          "input:not([type=hidden]), textarea, select, [contenteditable=''], [contenteditable=true]",
        )
      ) {
        const field = /** @type {HTMLInputElement} */ (node);
        if (field.value) kept.push(field.value);
        if (!isVisible(node)) continue;
        asksPassword ||= field.type === "password";
        fields++;
      } else if (
        node.matches(
          "a[href], button:not([disabled]), [role=button], [role=link]",
        )
      )
        controls += Number(isVisible(node));
      else if (isPainted(node) && isVisible(node)) {
        visuals.push(
          `${node.tagName.toLowerCase()}.${node.getAttribute("class") ?? ""}`,
        );
      }
    }
    const lines = [...blocks.values()].map(({ text, announced, control }) => ({
      text: text.replace(/\s+/g, " ").trim(),
      announced,
      control,
    }));
    const busy = [
      ...document.querySelectorAll(
        "[aria-busy=true], [role=progressbar], progress",
      ),
    ].some(isVisible);
    return {
      url: location.href,
      lines,
      fields,
      visuals,
      busy,
      kept,
      controls,
      asksPassword,
    };
  }

  let last = "";
  let timer = 0;
  function check() {
    timer = 0;
    const now = snapshot();
    const text = JSON.stringify(now);
    if (text === last) return;
    last = text;
    report({ snapshot: now });
  }
  const schedule = () => (timer ||= window.setTimeout(check, PAUSE_MS));
  Object.assign(window, { [`${binding}Now`]: snapshot });
  new MutationObserver(schedule).observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
    attributes: true,
  });
  for (const event of [
    "DOMContentLoaded",
    "load",
    "input",
    "transitionend",
    "animationend",
    "toggle",
  ])
    addEventListener(event, schedule, true);
}

/**
 * Return what can be pressed on the page, with what must be filled in first. It runs in the page.
 * @param {number} limit
 * @returns {Candidate[]}
 */
export function findCandidates(limit) {
  const visible = (/** @type {Element} */ element) =>
    element.checkVisibility({
      opacityProperty: true,
      visibilityProperty: true,
    });
  const clean = (/** @type {string | null | undefined} */ text) =>
    (text ?? "").replace(/\s+/g, " ").trim();
  /**
   * Return which of several elements one is; null if it is the only one.
   * @param {Element[]} all
   * @param {Element} element
   */
  const indexIn = (all, element) =>
    all.length > 1 ? all.indexOf(element) : null;
  const BUTTONS =
    "button, input[type=submit], input[type=button], input[type=image], [role=button]";
  const SUBMITS =
    "button:not([type=button]):not([type=reset]), input[type=submit], input[type=image]";
  const MAIL = "audit@example.com";
  const ADDRESS = "https://example.com/audit";
  const FIELDS =
    "input:not([type=hidden]):not([type=submit]):not([type=button]):not([type=reset]):not([type=file]):not([type=image]), textarea, select";

  /** @param {Element} element */
  function nameOf(element) {
    const ids = element.getAttribute("aria-labelledby")?.split(/\s+/) ?? [];
    const labelled = ids
      .map((id) => document.getElementById(id)?.textContent)
      .join(" ");
    const value = element instanceof HTMLInputElement ? element.value : "";
    const alternative = element.querySelector("img[alt]")?.getAttribute("alt");
    return (
      clean(labelled) ||
      clean(element.getAttribute("aria-label")) ||
      clean(element.textContent) ||
      clean(value) ||
      clean(alternative) ||
      clean(element.getAttribute("title"))
    );
  }

  /** @param {Element} element @returns {Place} */
  function cssOf(element) {
    const parts = [];
    for (
      let each = element;
      each !== document.body && each.parentElement;
      each = each.parentElement
    ) {
      if (each.id && !/\d/.test(each.id)) {
        parts.unshift(`#${CSS.escape(each.id)}`);
        break;
      }
      const same = [...each.parentElement.children].filter(
        ({ tagName }) => tagName === each.tagName,
      );
      const tag = each.tagName.toLowerCase();
      parts.unshift(
        same.length > 1 ? `${tag}:nth-of-type(${same.indexOf(each) + 1})` : tag,
      );
    }
    return { by: "css", name: parts.join(" > "), nth: null };
  }

  /** @param {Element} element @returns {Place} */
  function placeOfButton(element) {
    const name = nameOf(element);
    const isButton = element.matches(BUTTONS);
    if (!name || !isButton || name.length > 60) return cssOf(element);
    const all = [...document.querySelectorAll(BUTTONS)];
    const sames = all.filter((each) => visible(each) && nameOf(each) === name);
    return { by: "role", role: "button", name, nth: indexIn(sames, element) };
  }

  /** @param {HTMLInputElement} field @returns {Place} */
  function placeOfField(field) {
    const all = /** @type {HTMLInputElement[]} */ ([
      ...document.querySelectorAll(FIELDS),
    ]);
    const labelOf = (/** @type {HTMLInputElement} */ each) =>
      clean(each.labels?.[0]?.textContent ?? each.getAttribute("aria-label"));
    const label = labelOf(field);
    // The text of a label around a field includes the field's own.
    if (label && !field.labels?.[0]?.querySelector("select, textarea")) {
      const sames = all.filter((each) => labelOf(each) === label);
      return { by: "label", name: label, nth: indexIn(sames, field) };
    }
    if (field.placeholder)
      return {
        by: "placeholder",
        name: field.placeholder,
        nth: indexIn(
          all.filter(({ placeholder }) => placeholder === field.placeholder),
          field,
        ),
      };
    return field.name
      ? {
          by: "css",
          name: `${field.tagName.toLowerCase()}[name="${CSS.escape(field.name)}"]`,
          nth: null,
        }
      : cssOf(field);
  }

  /** @param {HTMLInputElement} field @param {number} index @returns {Step | undefined} */
  function fill(field, index) {
    const place = placeOfField(field);
    if (field instanceof HTMLSelectElement) {
      const options = [...field.options].filter(
        ({ value, disabled }) => value && !disabled,
      );
      const other = options.find(({ selected }) => !selected) ?? options[0];
      return other && { do: "select", place, value: other.value };
    }
    if (field.type === "checkbox")
      return field.required && !field.checked
        ? { do: "check", place }
        : undefined;
    if (field.type === "radio")
      return field.checked ||
        document.querySelector(`input[name="${CSS.escape(field.name)}"]`) !==
          field
        ? undefined
        : { do: "check", place };
    const number = String(Math.max(Number(field.min) || 1, 1));
    const values = new Map([
      ["email", MAIL],
      ["password", "Audit-passw0rd"],
      ["number", number],
      ["range", number],
      ["date", "2030-01-15"],
      ["time", "10:30"],
      ["month", "2030-01"],
      ["week", "2030-W03"],
      ["datetime-local", "2030-01-15T10:30"],
      ["tel", "+1 202 555 0143"],
      ["url", ADDRESS],
      ["color", "#336699"],
    ]);
    const isMail = /mail/i.test(
      `${field.name} ${field.id} ${field.placeholder} ${place.name}`,
    );
    const isUrl = /\burl\b/i.test(
      `${field.name} ${field.id} ${field.placeholder}`,
    );
    const plain = isMail ? MAIL : isUrl ? ADDRESS : `Audit text ${index + 1}`;
    let value = values.get(field.type) ?? plain;
    if (field.maxLength > 0) value = value.slice(0, field.maxLength);
    return {
      do: "fill",
      place,
      value,
      ...(field.type === "password" && { secret: true }),
    };
  }

  /** @type {Map<string, Candidate>} */
  const candidates = new Map();
  /** @param {Element} element @param {Element | null} form */
  function add(element, form) {
    if (candidates.size >= limit || !visible(element)) return;
    const fields = form
      ? /** @type {HTMLInputElement[]} */ ([
          ...form.querySelectorAll(FIELDS),
        ]).filter((each) => visible(each) && !each.disabled && !each.readOnly)
      : [];
    const filled = fields.map(fill).filter((step) => step !== undefined);
    const name =
      nameOf(element) ||
      element.getAttribute("class") ||
      element.tagName.toLowerCase();
    // Equal buttons in each row of a list differ in digits and state.
    const key =
      form && fields.length
        ? `form ${fields.map(({ name: own, type, placeholder }) => own || placeholder || type).join(",")}`
        : `${element.tagName} ${name
            .replace(/\d+/g, "0")
            .replace(/[^\p{L}\d ]/gu, "")
            .trim()} ${name.length > 40 ? "" : element.parentElement?.tagName}`;
    if (candidates.has(key)) return;
    candidates.set(key, {
      key,
      name: clean(name).slice(0, 80),
      asksPassword: fields.some(({ type }) => type === "password"),
      steps: [...filled, { do: "click", place: placeOfButton(element) }],
    });
  }

  for (const form of document.forms) {
    const submit = form.querySelector(SUBMITS);
    if (submit) add(submit, form);
  }
  const pressed =
    "button, input[type=button], [role=button], [role=switch], a:not([href]), a[href=''], a[href='#']";
  for (const element of document.querySelectorAll(pressed)) {
    const form = /** @type {HTMLButtonElement} */ (element).form;
    if (form && form.querySelector(SUBMITS) === element) continue; // above
    // Fields beside a button, without a form around them.
    const group =
      form ??
      (element.matches("button")
        ? element.closest(
            "section, fieldset, dialog, [role=dialog], article, main",
          )
        : null);
    const isAlone =
      group &&
      !group.querySelector("form") &&
      group.querySelectorAll(FIELDS).length > 0 &&
      group.querySelectorAll("button").length <= 2;
    add(element, isAlone ? group : null);
  }
  // Others that react to a click, such as icons with a listener.
  for (const element of document.querySelectorAll(
    "i, svg, span, div, li, td, img",
  )) {
    if (
      getComputedStyle(element).cursor !== "pointer" ||
      element.closest("a, button, label, [role=button], select")
    )
      continue;
    if (
      element.parentElement &&
      getComputedStyle(element.parentElement).cursor === "pointer"
    )
      continue;
    add(element, null);
  }
  return [...candidates.values()];
}

/** Return the addresses of the links of the page, its title, and whether it has a service worker. It runs in the page. */
export async function findLinks() {
  const workers = await navigator.serviceWorker?.getRegistrations();
  const links = /** @type {HTMLAnchorElement[]} */ ([
    ...document.querySelectorAll("a[href]"),
  ]);
  const isUsual = (
    /** @type {HTMLAnchorElement} */ { target, href, download },
  ) => (!target || target === "_self") && /^https?:/.test(href) && !download;
  return {
    title: document.title,
    hasWorker: Boolean(workers?.length),
    links: links
      .filter((link) => link.checkVisibility() && isUsual(link))
      .map(({ href }) => href),
  };
}
