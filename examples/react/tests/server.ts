import { startServer } from "./mockpets/server";

export default () => startServer({ args: "--scenarios-dir scenarios" });
