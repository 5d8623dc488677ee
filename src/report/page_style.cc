#include "report/report_page.h"

namespace lockstep::report {

// Colours of parts are those of the figure step_time.
const std::string_view kPageStyle = R"css(:root {
  --paper: #ffffff; --sheet: #f5f6f8; --ink: #1c1e21; --soft: #565b63; --line: #d9dce1;
  --link: #00558a; --warn: #fff4dc; --warn-line: #b87a00;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #15181d; --sheet: #1e2229; --ink: #e8e8e8; --soft: #b4b9c2; --line: #343a44;
    --link: #7cc4f5; --warn: #33290f; --warn-line: #e0a52e;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.45 system-ui, Helvetica, Arial, "DejaVu Sans", sans-serif;
}
header, main { max-width: 1240px; margin: 0 auto; padding: 0 20px; }
h1 { font-size: 24px; margin: 18px 0 4px; }
h2 { font-size: 20px; margin: 28px 0 10px; }
h3 { font-size: 15px; margin: 0 0 6px; }
small { font-size: 14px; font-weight: normal; color: var(--soft); }
p { margin: 0 0 6px; overflow-wrap: anywhere; }
a { color: var(--link); }
a.term { color: inherit; text-decoration: underline dotted; text-underline-offset: 3px; }
a.term:hover { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
nav a { display: inline-block; margin: 4px 14px 4px 0; }
code { font: 13px ui-monospace, "DejaVu Sans Mono", monospace; background: var(--sheet); padding: 0 3px; white-space: nowrap; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--sheet); padding: 10px; }
.warnings { background: var(--warn); border-left: 5px solid var(--warn-line); margin: 12px 0; padding: 8px 14px; }
.warnings ul { margin: 6px 0 0; padding-left: 20px; overflow-wrap: anywhere; }
summary { cursor: pointer; font-weight: 600; }
.card { border: 1px solid var(--line); border-radius: 8px; padding: 4px 18px 14px; margin: 14px 0; }
.card h2 { margin: 10px 0; overflow-wrap: anywhere; }
.tiles { display: grid; grid-template-columns: 1fr 1fr 1.5fr 1.7fr; gap: 22px; margin-bottom: 12px; }
.big { font-size: 15px; }
.big .number { font-size: 28px; font-weight: 700; }
.number { font-variant-numeric: tabular-nums; font-weight: 600; white-space: nowrap; }
.interval { color: var(--soft); font-size: 12.5px; white-space: nowrap; font-variant-numeric: tabular-nums; }
.none, .note, .minor { color: var(--soft); }
.note { font-size: 13px; }
.bar { display: flex; height: 20px; border-radius: 3px; overflow: hidden; background: var(--sheet); margin-bottom: 8px; }
.part.compute { background: #0072b2; }
.part.contention { background: repeating-linear-gradient(45deg, #0072b2 0 4px, #9fd0ee 4px 8px); }
.part.exchange { background: #d55e00; }
.part.waiting { background: #f0b8d4; }
.part.input { background: #e69f00; }
.part.update { background: #009e73; }
.part.other { background: #999999; }
.sign { display: inline-block; width: 11px; height: 11px; margin-right: 7px; border-radius: 2px; }
.key, .tiles a.term { white-space: nowrap; }
.key .sign { margin-right: 4px; }
ul.lost, ul.next { margin: 0 0 4px; padding: 0; list-style: none; }
ul.next li { margin-bottom: 6px; }
table { border-collapse: collapse; font-size: 14px; }
caption { text-align: left; color: var(--soft); padding: 4px 0; }
th, td { text-align: left; padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
thead th { border-bottom: 2px solid var(--soft); vertical-align: bottom; }
.r { text-align: right; }
.card td.r { white-space: nowrap; }
.sortable td .interval { display: block; }
.listing th { font-weight: normal; color: var(--soft); }
.listing td { overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
th button { font: inherit; color: var(--soft); background: none; border: 0; padding: 0 3px; cursor: pointer; }
th button::after { content: "\2195"; }
th[aria-sort=ascending] button::after { content: "\2191"; color: var(--link); }
th[aria-sort=descending] button::after { content: "\2193"; color: var(--link); }
fieldset { border: 1px solid var(--line); border-radius: 6px; margin: 0 0 10px; }
fieldset label { margin-right: 16px; white-space: nowrap; }
figure { margin: 0 0 26px; content-visibility: auto; }
figcaption { color: var(--soft); font-size: 13px; }
.panels { display: flex; flex-wrap: wrap; gap: 8px 16px; }
.panels > svg { max-width: 100%; height: auto; }
.off { display: none; }
.sheet { fill: transparent; cursor: crosshair; touch-action: pan-y; }
.chosen { fill: var(--link); fill-opacity: 0.25; }
.panels .at { stroke: var(--ink); stroke-width: 3px; }
#tip {
  position: fixed; z-index: 9; max-width: 340px; padding: 6px 9px; pointer-events: none;
  background: var(--ink); color: var(--paper); border-radius: 4px; font-size: 13px;
}
dt { font-weight: 600; margin-top: 10px; }
dt:target, dt:target + dd { background: var(--warn); }
dd { margin: 0 0 0 18px; max-width: 80ch; }
@media (max-width: 1000px) { .tiles { grid-template-columns: 1fr 1fr; } }
@media (max-width: 600px) {
  header, main { padding: 0 12px; }
  .tiles { grid-template-columns: 1fr; gap: 14px; }
  .card { padding: 2px 12px 10px; }
  td .interval { display: block; }
  .fastest, .fastest thead, .fastest tbody, .fastest caption { display: block; }
  .fastest tr { display: grid; grid-template-columns: 4.2em 1fr 1fr; border-bottom: 1px solid var(--line); padding: 3px 0; }
  .fastest thead tr { border-bottom: 2px solid var(--soft); }
  .fastest :is(th, td) { border: 0; padding: 1px 8px 1px 0; }
  .fastest :is(th, td):nth-child(n + 4) { grid-column: 2 / -1; padding-left: 12px; }
}
@media print {
  figure { content-visibility: visible; }
  nav, #toggles, #tip { display: none; }
  h2, h3 { break-after: avoid; }
  .tile, .fastest, .panels > svg, tr { break-inside: avoid; }
  .panels > svg { width: calc(50% - 8px); }
  .wide { overflow: visible; }
  .sortable { font-size: 7px; }
  .sortable .interval { font-size: 6px; }
  .sortable :is(th, td) { padding: 2px 3px 2px 0; }
  th button { display: none; }
  body { font-size: 12px; }
}
)css";

}  // namespace lockstep::report
