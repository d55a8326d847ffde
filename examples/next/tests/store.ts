import { expect, test as base } from "./mockpets/playwright";

/** A test with a store of `size` pets; their names are found in no other test. */
export const test = base.extend<{ size: number; names: string[] }>({
  size: [3, { option: true }],
  names: async ({ mock, size }, use) => {
    const names = Array.from(
      { length: size },
      (_, index) => `Pet ${index + 1} of ${mock.session}`,
    );
    await mock.pets.set(
      names.map((name, index) => ({ id: index + 1, name, categoryId: 2 })),
    );
    await use(names);
  },
});

/** Return the names of pets in HTML, of this test or another. */
export function namesIn(html: string): string[] {
  return [...html.matchAll(/>((?:Copy of )?Pet \d+ of [\w.-]+)</g)].map(
    ([, name]) => name!,
  );
}

export { expect };
