HEADER
import type { Page } from "@playwright/test";
import { expect, type Mockpets } from MODULE;

/** How long a page may retry before it shows a message. */
export const RETRIES_MS = 15_000;
const SETTLE_MS = 15_000;

const alerts: string[] = [];

/** Return the lines that a page or action shows in these states, in which nothing fails. */
export async function usualLines(
  mock: Mockpets,
  page: Page,
  act: () => Promise<unknown>,
  states: Parameters<Mockpets["use"]>,
): Promise<Set<string>> {
  page.on("dialog", (dialog) => {
    alerts.push(dialog.message());
    return dialog.accept();
  });
  const usual = new Set<string>();
  for (const state of states) {
    await mock.use(state);
    await act();
    for (const line of await settled(page)) usual.add(line);
    await mock.use("default");
    await mock.reset(); // what the action has changed
  }
  alerts.length = 0;
  return usual;
}

/** Return the texts of dialogs and the lines that a page does not show usually. */
export async function newLines(
  page: Page,
  usual: Set<string>,
): Promise<string[]> {
  const lines = [...alerts, ...(await linesOf(page))];
  // A page that has not handled the failure shows these.
  const artefact = /undefined|null|NaN|\[object /;
  return lines.filter((line) => !usual.has(line) && !artefact.test(line));
}

/** Return the lines of a page's text, with equal digits: counts and times are no messages. */
export async function linesOf(page: Page): Promise<string[]> {
  const text = await page.locator("body").innerText();
  const lines = text
    .split("\n")
    .map((line) => line.trim().replace(/\s+/g, " ").replace(/\d+/g, "0"));
  return lines.filter((line) => line !== "");
}

/** Return the lines once they stay the same for a second. */
export async function settled(page: Page): Promise<string[]> {
  let lines: string[] | undefined;
  const isSame = async () => {
    const before = lines;
    lines = await linesOf(page);
    return String(lines) === String(before);
  };
  await expect
    .poll(isSame, { intervals: [1_000], timeout: SETTLE_MS })
    .toBe(true);
  return lines ?? [];
}

/** Return a list that gets the texts in the bodies of responses with an error. */
export function textsOfErrors(page: Page): string[] {
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === "string" && value.length >= 4) {
      texts.push(value.trim().replace(/\s+/g, " ").replace(/\d+/g, "0"));
    } else if (typeof value === "object" && value !== null) {
      Object.values(value).forEach(collect);
    }
  };
  page.on("response", async (response) => {
    if (response.status() < 500) return;
    const body = await response.text().catch(() => "");
    try {
      collect(JSON.parse(body));
    } catch {
      collect(body); // it is not JSON
    }
  });
  return texts;
}
