// Light or dark: what the system says, or what was chosen here. A classic script in the head, so
// that the page is never painted in the other theme first.
(() => {
  const stored = () => {
    try {
      return localStorage.getItem("mockpets-theme") ?? "auto";
    } catch {
      return "auto"; // a browser that keeps nothing
    }
  };
  const root = document.documentElement;
  root.dataset.theme = stored();
  document.addEventListener("DOMContentLoaded", () => {
    const choice = document.getElementById("theme");
    choice.value = stored();
    choice.addEventListener("change", () => {
      root.dataset.theme = choice.value;
      try {
        localStorage.setItem("mockpets-theme", choice.value);
      } catch {
        // Then it holds for this page alone.
      }
    });
  });
})();
