// Apply the light or dark theme: the system's, or the one chosen on the page. This is a classic
// script in the head, so that the page never flashes in the other theme.
(() => {
  const stored = () => {
    try {
      return localStorage.getItem("mockpets-theme") ?? "auto";
    } catch {
      return "auto"; // the browser blocks storage
    }
  };
  const root = document.documentElement;
  root.dataset.theme = stored();
  document.addEventListener("DOMContentLoaded", () => {
    const select = document.getElementById("theme");
    if (!(select instanceof HTMLSelectElement)) return; // the panel has a menu
    select.value = stored();
    select.addEventListener("change", () => {
      root.dataset.theme = select.value;
      try {
        localStorage.setItem("mockpets-theme", select.value);
      } catch {
        // The choice applies to this page only.
      }
    });
  });
})();
