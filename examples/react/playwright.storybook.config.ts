import { webServer } from "./tests/mockpets/playwright";
import app from "./playwright.config";

const mockUrl = process.env.MOCKPETS_URL ?? "http://localhost:7387";
const port = process.env.PORT ?? "6007";

export default {
  ...app, // not `defineConfig(app, ...)`, which would also start the servers of the app
  testDir: "tests-storybook",
  use: { ...app.use, baseURL: `http://localhost:${port}` },
  webServer: [
    webServer({ args: "--scenarios-dir scenarios" }),
    {
      command: `npm run build-storybook && npx vite preview --outDir storybook-static --port ${port} --strictPort`,
      url: `http://localhost:${port}`,
      env: { VITE_API_URL: `${mockUrl}/v1`, VITE_API_KEY: "mockpets" },
    },
  ],
};
