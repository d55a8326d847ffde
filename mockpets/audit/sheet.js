// The filter, the screenshots in full size, and the buttons that copy. Without it, the page shows everything.

const one = (selector) => document.querySelector(selector);
const all = (selector) => [...document.querySelectorAll(selector)];

const filter = one(".filter");
function choose() {
  const levels = new Set(all("[name=level]:checked").map(({ value }) => value));
  const page = one("[name=page]").value;
  const causes = all(".cause");
  for (const cause of causes) {
    cause.hidden =
      !levels.has(cause.dataset.level) ||
      (page !== "" && !JSON.parse(cause.dataset.pages).includes(page));
  }
  for (const group of all("tbody[data-page]"))
    group.hidden = page !== "" && group.dataset.page !== page;
  one(".filter output").value =
    `${causes.filter(({ hidden }) => !hidden).length} of ${causes.length} causes`;
}
filter.hidden = false;
filter.onchange = choose;
choose(); // a browser restores what was chosen

for (const button of all("[data-copy]")) {
  button.hidden = false;
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(button.previousElementSibling);
      button.textContent = "Selected";
    }
    setTimeout(() => (button.textContent = "Copy"), 2000);
  };
}

/** Show the finding of a link, which the filter or a closed element can hide. */
function reveal() {
  const finding = /^#finding-\d+$/.test(location.hash) && one(location.hash);
  if (!finding) return;
  if (finding.closest(".cause").hidden) {
    filter.reset();
    choose();
  }
  for (let element = finding; element; element = element.parentElement) {
    if (element.tagName === "DETAILS") element.open = true;
  }
  finding.scrollIntoView();
}
addEventListener("hashchange", reveal);
reveal();

const dialog = one("dialog");
let shown;
function show(shot) {
  shown = shot;
  const image = shot.querySelector("img");
  one("#shown").textContent = image.alt;
  Object.assign(one(".large img"), { src: image.src, alt: image.alt });
  if (!dialog.open) dialog.showModal();
}
function move(step) {
  const shots = all(".shot").filter((shot) => shot.getClientRects().length);
  show(shots[(shots.indexOf(shown) + step + shots.length) % shots.length]);
}
document.addEventListener("click", (event) => {
  const shot = event.target.closest(".shot");
  if (!shot || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  show(shot);
});
for (const button of all("dialog [type=button]"))
  button.onclick = () => move(Number(button.value));
dialog.onkeydown = ({ key }) => {
  if (key === "ArrowLeft" || key === "ArrowRight")
    move(key === "ArrowLeft" ? -1 : 1);
};
dialog.onclose = () => shown.focus();
