// How the toolbar looks. Its style sheet is in the shadow root: the page's own style does not apply.

export const CSS = `
:host { display: contents !important }
[role=region] {
  all: initial; color-scheme: light dark; --ground: light-dark(#fff, #15181b);
  --line: light-dark(#e6e8eb, #24282d); --text: light-dark(#16181d, #eceef0);
  --soft: light-dark(#60656f, #9ba1aa); --accent: light-dark(#0b6659, #4cc9b4);
  --on-accent: light-dark(#fff, #06211d); --ok: light-dark(#157040, #5ccb8a);
  --client: light-dark(#9a5005, #e8a854); --server: light-dark(#c4281c, #ff8a80);
  --held: light-dark(#6e43b8, #b79cf0); --edge: light-dark(#7c828c, #7a818c);
  --hover: light-dark(#f6f7f8, #1b1f23); --selected: light-dark(#e4f1ee, #12302c);
  --chip: light-dark(#eff1f3, #22272c); --raised: light-dark(#fff, #1a1e22);
  --on: light-dark(#fff, #353b43); --held-ground: light-dark(#f4effc, #221b33);
  --shadow: 0 8px 24px rgb(0 0 0 / .18); position: fixed; z-index: 2147483647; display: flex;
  flex-direction: column-reverse; align-items: end; gap: 8px; max-width: calc(100vw - 32px);
  font: 13px/20px system-ui, sans-serif; color: var(--text);
}
* { margin: 0; padding: 0 }
*, ::before { box-sizing: border-box }
[hidden] { display: none !important }
.bottom { bottom: 16px }
.top { top: 16px; flex-direction: column }
.right { right: 16px }
.left { left: 16px; align-items: start }
ul, ol { list-style: none }
h2 { font: inherit; flex: 1 }
b { font-weight: 600 }
small { font-size: 12px; margin-left: 4px }
code { font: 12px/20px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace }
a { color: var(--accent) }
.soft { color: var(--soft) }
.ok { color: var(--ok) }
.client { color: var(--client) }
.server { color: var(--server) }
.held { color: var(--held) }
.away, .news {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap;
}
.line { display: flex; align-items: center; gap: 8px; min-height: 24px }
.path { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
svg {
  flex: none; fill: none; stroke: currentcolor; stroke-width: 1.5; stroke-linecap: round;
  stroke-linejoin: round;
}
.logo {
  width: 20px; height: 20px; border-radius: 5px; background: #0b6659; fill: #fff; stroke: none;
}
button, input {
  font: inherit; color: inherit; border: 1px solid var(--line); border-radius: 6px;
  background: var(--raised); min-height: 24px; padding: 1px 8px; text-align: inherit;
}
button { cursor: pointer; font-weight: 500; white-space: nowrap }
button:hover { background: var(--hover) }
button:disabled { color: var(--soft); opacity: .6; cursor: not-allowed }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px }
#pill {
  display: flex; align-items: center; gap: 8px; height: 36px; padding: 0 12px 0 8px;
  border-radius: 18px; background: var(--ground); box-shadow: var(--shadow); max-width: 100%;
  touch-action: none; user-select: none;
}
p#pill { height: auto; padding: 8px 12px 8px 8px; overflow-wrap: anywhere }
#pill > svg:last-child { width: 12px; height: 12px; color: var(--soft) }
#panel {
  width: 400px; max-width: 100%; max-height: calc(100vh - 76px); overflow: auto;
  border: 1px solid var(--line); border-radius: 10px; background: var(--ground);
  box-shadow: var(--shadow); scrollbar-width: thin;
}
.head { height: 44px; padding: 0 6px 0 12px }
.head b { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.live {
  flex: none; width: 8px; height: 8px; margin-right: auto; border-radius: 50%;
  background: var(--ok);
}
.head :is(button, a) {
  display: grid; place-items: center; width: 28px; height: 28px; min-height: 0; padding: 0;
  border: 0; border-radius: 6px; background: none; color: var(--soft);
}
.head :is(button, a):hover { background: var(--chip) }
section, .problem { padding: 10px 12px; border-top: 1px solid var(--line) }
.problem { white-space: pre-line; overflow-wrap: anywhere }
.text { border: 0; background: none; padding: 0 2px }
.text:hover { text-decoration: underline }
#undo { color: var(--accent) }
.stack { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 4px }
ol { display: contents }
ol li {
  display: flex; align-items: center; gap: 5px; max-width: 100%; padding-left: 8px;
  border-radius: 6px; background: var(--chip);
}
ol li b { font-weight: 500; overflow: hidden; text-overflow: ellipsis }
ol button {
  display: grid; width: 24px; padding: 0; place-items: center; border: 0; background: none;
}
ol svg { width: 11px; height: 11px; color: var(--soft) }
#add { flex: 1; min-width: 140px }
#add::placeholder { color: var(--soft); opacity: 1 }
#options { flex-basis: 100%; max-height: 224px; overflow: auto; scrollbar-width: thin }
[role=option] {
  display: flex; gap: 8px; padding: 4px 8px; border-radius: 6px; cursor: pointer;
  white-space: nowrap; overflow: hidden;
}
[role=option] b { font-weight: 500 }
[role=option] span { overflow: hidden; text-overflow: ellipsis }
[role=option]:hover { background: var(--hover) }
[role=option][aria-selected=true] { background: var(--selected) }
.hint { flex-basis: 100%; font-size: 12px; line-height: 16px }
.segments { display: flex; padding: 2px; border-radius: 6px; background: var(--chip) }
.segments button {
  border: 1px solid transparent; border-radius: 4px; background: none; color: var(--soft);
}
.segments [aria-pressed=true] {
  background: var(--on); color: var(--text); border-color: var(--line);
}
[role=switch] {
  width: 32px; height: 18px; min-height: 0; padding: 2px; border: 0; border-radius: 9px;
  background: var(--edge);
}
[role=switch]::before {
  content: ""; display: block; width: 14px; height: 14px; border-radius: 50%; background: #fff;
}
[role=switch][aria-checked=true] { background: var(--accent) }
[role=switch][aria-checked=true]::before { margin-left: auto; background: var(--on-accent) }
section > .line + .line { margin-top: 8px }
.asked { background: var(--held-ground) }
.asked .path { flex: 1 }
.replies { display: flex; flex-wrap: wrap; gap: 4px; margin-top: 6px }
.replies button { flex: auto; padding: 1px 4px; font-size: 12px; text-align: center }
.states { display: flex; flex-wrap: wrap; gap: 4px }
.states button { padding: 1px 6px; font-size: 12px; text-align: center }
.primary {
  background: var(--accent) !important; color: var(--on-accent); border-color: transparent;
}
.rows { margin: 2px -6px 0 }
.rows li { display: flex; flex-wrap: wrap; align-items: center }
.request {
  flex: 1; min-width: 0; display: grid;
  grid-template-columns: 68px auto minmax(0, 1fr) minmax(0, 84px) 56px; gap: 8px;
  align-items: center; padding: 4px 6px; border: 0; background: none; font-weight: 400;
}
.waits .request { grid-template-columns: 68px auto minmax(0, 1fr) minmax(0, 84px) }
.rows .held:is(button) { margin-right: 6px; border-color: var(--held) }
.stub { overflow: hidden; text-overflow: ellipsis; font-size: 12px }
.time { text-align: right; font-size: 12px; font-variant-numeric: tabular-nums }
.why { flex-basis: 100%; padding: 0 6px 6px; overflow-wrap: anywhere }
@media (pointer: coarse) { button, input { min-height: 32px } [role=switch] { min-height: 18px } }
`;
