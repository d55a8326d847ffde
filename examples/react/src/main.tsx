import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./app.css";
import { App } from "./App";

if (import.meta.env.DEV && !navigator.webdriver)
  await import("../tests/mockpets/toolbar"); // not in tests

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
