import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import { expect, type Mockpets, test as base } from "./mockpets/playwright";

// WOFF with one glyph, from the FontBuilder of fontTools.
const FONT = Buffer.from(
  "d09GRgABAAAAAAHsAAoAAAAAAgwAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAABPUy8yAAABYAAAACMAAABgQTg/wWNtYXAAAAGIAAAAKQAAADQACwCU" +
    "Z2x5ZgAAAbgAAAAUAAAAFBdlY5toZWFkAAAA9AAAADYAAAA2LZjYHGhoZWEAAAEsAAAAHAAAACQAcABEaG10eAAAAYQAAAAEAAAABAA8AABsb2Nh" +
    "AAABtAAAAAQAAAAEAAAACm1heHAAAAFIAAAAGAAAACAAAwAFbmFtZQAAAcwAAAAUAAAAFAAUBGNwb3N0AAAB4AAAAAwAAAAgAAMAAAABAAAAAQAA" +
    "l4mcLV8PPPUAAwBAAAAAAOcoTVkAAAAA5yhNWQAAAAAAMgAyAAAAAwACAAAAAAAAeJxjYGRgYLD5/wdEAjEXgxEDSAQZMAIATG8Cs3icY2BkYGBg" +
    "ZGBmANEMDEwMaAAAAN4ACXicY2BmsGGcwMDKwMJAGDAic+yBAEg5AiEuoMDAAACBqwJ5AAA8AAB4nGNgYGBiYGBgBmIRIMkIplkYFIA0CxCC+I7/" +
    "/0PI//vBfAYAUpAGnAAAAAAAAAoAAQAAAAAAMgAyAAIAADE1FzIyMgAAAAEAEgADAAEECQABAAIAAABUeJxjYGbACwAAfQAE",
  "base64",
);

/** A server that pages may read, but that allows no header of theirs. */
interface ThirdParty {
  url: string;
  received: IncomingHttpHeaders[];
}

const test = base.extend<{ thirdParty: ThirdParty }>({
  thirdParty: async ({}, use) => {
    const received: IncomingHttpHeaders[] = [];
    const server = createServer((request, response) => {
      if (request.method !== "GET") return response.writeHead(405).end();
      received.push(request.headers);
      return response.writeHead(200, { "Access-Control-Allow-Origin": "*" }).end(FONT);
    });
    await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
    const { port } = server.address() as AddressInfo;
    await use({ url: `http://localhost:${port}`, received });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  },
});

async function openList(page: Page, mock: Mockpets) {
  await mock.pets.set([{ id: 1, name: "Miso", categoryId: 2 }]);
  await page.goto("/");
  await expect(page.getByRole("listitem")).toHaveText("Miso");
}

const fetchSize = async (url: string) => (await (await fetch(url)).arrayBuffer()).byteLength;
const loadFont = async (url: string) => (await new FontFace("Third Party", `url(${url})`).load()).status;

test("sessionIn: route sends nothing to a third party, so its font and data load", async ({
  mock,
  page,
  thirdParty,
}) => {
  await openList(page, mock);
  expect(await page.evaluate(fetchSize, thirdParty.url)).toBe(FONT.byteLength);
  expect(await page.evaluate(loadFont, thirdParty.url)).toBe("loaded");
  expect(thirdParty.received).toHaveLength(2);
  expect(thirdParty.received.filter((headers) => "mockpets-session" in headers)).toEqual([]);
});

test.describe(() => {
  test.use({ sessionIn: "header" });

  test("with sessionIn: header, the third party rejects the preflights", async ({ mock, page, thirdParty }) => {
    await openList(page, mock);
    await expect(page.evaluate(fetchSize, thirdParty.url)).rejects.toThrow("Failed to fetch");
    await expect(page.evaluate(loadFont, thirdParty.url)).rejects.toThrow("network error");
    expect(thirdParty.received).toEqual([]);
  });
});
