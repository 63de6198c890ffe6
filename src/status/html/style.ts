import { components } from '../../attribution/usage.js';
import { darkPalette, lightPalette, type Palette } from './palette.js';

const variables = (palette: Palette): string =>
  Object.entries(palette)
    .map(([name, colour]) => `--${name}:${String(colour)}`)
    .join(';');

const parts = [...components, 'okBar', 'warningBar', 'criticalBar', 'track'];

/** The page's only style sheet. */
export const style = `
:root{color-scheme:light dark;${variables(lightPalette)}}
@media (prefers-color-scheme:dark){:root{${variables(darkPalette)}}}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif;font-variant-numeric:tabular-nums;-webkit-text-size-adjust:100%}
.wrap{max-width:1280px;margin:0 auto;padding:16px 20px 32px}
a{color:var(--link);text-underline-offset:2px}
:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:3px}
h1,h2,h3,p,ul,ol,dl,dd,figure{margin:0;padding:0}
h1{font-size:20px;line-height:1.25}
h2{font-size:16px;line-height:1.3}
h3{font-size:14px;line-height:1.3;overflow-wrap:anywhere}
ul,ol{list-style:none}
.muted{color:var(--muted)}
.small{font-size:13px}
/* Names have up to 253 characters and no place to break. */
header,.banner,tbody th,.low,.tight td{overflow-wrap:anywhere}
header>div{min-width:0}
.name{overflow-wrap:anywhere;font-weight:600}
.visually-hidden{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;left:-999px}
.skip:focus{left:20px;top:8px;background:var(--panel);padding:4px 8px}
header{display:flex;flex-wrap:wrap;gap:8px 24px;align-items:flex-end;justify-content:space-between;margin-bottom:14px}
.controls{display:flex;flex-wrap:wrap;gap:8px;align-items:center;font-size:13px}
/* Out of the row, yet there for screen readers to watch. */
.controls p:empty{position:absolute}
button{font:inherit;font-size:13px;color:var(--ink);background:var(--panel);border:1px solid var(--muted);border-radius:6px;padding:4px 12px;cursor:pointer}
button:hover{border-color:var(--link);color:var(--link)}
.banner{display:flex;flex-wrap:wrap;gap:2px 10px;align-items:baseline;border:1px solid;border-left-width:6px;border-radius:8px;padding:10px 14px;margin-bottom:14px;background:var(--panel)}
.banner ul{display:flex;flex-wrap:wrap;gap:2px 16px}
.banner.ok{color:var(--ok);background:var(--okBack)}
.banner.warning{color:var(--warning);background:var(--warningBack)}
.banner.critical{color:var(--critical);background:var(--criticalBack)}
.banner a{color:inherit}
.banner p{color:var(--ink);flex-basis:100%}
.banner .what{color:var(--ink);overflow-wrap:anywhere}
.tiles{display:grid;grid-template-columns:repeat(5,1fr);gap:12px;margin-bottom:16px}
.tiles div,.panel{background:var(--panel);border:1px solid var(--line);border-radius:8px}
.tiles div{padding:10px 14px;border-top:4px solid var(--line);min-width:0}
.tiles .ok{border-top-color:var(--okBar)}
.tiles .warning{border-top-color:var(--warningBar)}
.tiles .critical{border-top-color:var(--criticalBar)}
.tiles dt{color:var(--muted);font-size:13px}
.tiles .figure{font-size:26px;line-height:1.25;font-weight:650}
.tiles .figure small{font-size:15px;font-weight:400;color:var(--muted)}
.panel{padding:14px 16px;margin-bottom:16px;min-width:0}
.head{display:flex;flex-wrap:wrap;gap:2px 16px;align-items:baseline;justify-content:space-between;margin-bottom:8px}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:16px}
.legend{display:flex;flex-wrap:wrap;gap:2px 14px;font-size:13px;color:var(--muted)}
.legend li{display:flex;gap:5px;align-items:center}
.legend svg{flex:none}
table{width:100%;border-collapse:collapse}
caption{text-align:left;color:var(--muted);font-size:13px;padding-bottom:4px}
th,td{text-align:left;vertical-align:top;padding:7px 14px 7px 0;font-weight:400}
th:last-child,td:last-child{padding-right:0}
thead th{color:var(--muted);font-size:13px;padding-top:0;padding-bottom:4px;vertical-align:bottom}
tbody tr{border-top:1px solid var(--line)}
.number{text-align:right;white-space:nowrap}
th.number{text-align:right}
.bar{display:block;overflow:visible;margin:5px 0 3px}
.bar .mark{fill:var(--ink)}
${parts.map((part) => `.f-${part}{fill:var(--${part})}`).join('\n')}
.f-free{fill:var(--track)}
.f-pods{fill:var(--rootfs)}
.f-images{fill:var(--configmap)}
.chip{display:inline-block;border:1px solid;border-radius:999px;padding:0 8px;font-size:12px;line-height:1.5;white-space:nowrap;font-weight:600}
.chip.ok{color:var(--ok);background:var(--okBack)}
.chip.warning{color:var(--warning);background:var(--warningBack)}
.chip.critical{color:var(--critical);background:var(--criticalBack)}
.chip.plain{color:var(--muted)}
.t-warning{color:var(--warning);font-weight:600}
.t-critical{color:var(--critical);font-weight:600}
td.bar-cell{width:32%}
.dense th,.dense td{padding-top:5px;padding-bottom:5px}
.rows,.rows tbody{display:block}
.rows thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.rows tr{display:grid;grid-template-columns:1fr auto;column-gap:12px;padding:7px 0 8px}
.rows th,.rows td{padding:0;min-width:0}
.rows .wide{grid-column:1/-1}
.more{margin-top:8px;color:var(--muted);font-size:13px}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,350px),1fr));gap:12px}
.cards>li{border:1px solid var(--line);border-left:4px solid var(--line);border-radius:8px;padding:10px 12px;min-width:0}
.cards>.warning{border-left-color:var(--warningBar)}
.cards>.critical{border-left-color:var(--criticalBar)}
.card-head{display:flex;flex-wrap:wrap;gap:2px 8px;align-items:center;margin-bottom:4px}
.row{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 12px}
.filesystem{margin-top:6px}
.break{overflow-wrap:anywhere}
.pods{margin-top:8px}
.message{overflow-wrap:anywhere;margin-top:4px}
summary{cursor:pointer;color:var(--link);padding:3px 0}
.tight th,.tight td{padding-top:3px;padding-bottom:3px}
.tight{margin-top:6px}
.trust{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,270px),1fr));gap:12px 28px}
.trust h3{margin-bottom:4px}
.trust>div{min-width:0}
.trust .chip,.trust .number{white-space:normal}
.trust td{overflow-wrap:normal;padding-right:10px}
.counts{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:2px 12px}
.counts dd{text-align:right}
pre{margin:8px 0 0;padding:12px;background:var(--page);border:1px solid var(--line);border-radius:6px;overflow:auto;max-height:480px;font:13px/1.5 ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace}
footer{color:var(--muted);font-size:13px}
footer ul{display:flex;flex-wrap:wrap;gap:4px 18px}
@media (max-width:1080px){.pair{grid-template-columns:1fr;gap:0}.tiles{grid-template-columns:repeat(3,1fr)}}
@media (max-width:640px){
.wrap{padding:12px 12px 24px}
.tiles{grid-template-columns:1fr 1fr;gap:8px}
.tiles .figure{font-size:22px}
.panel{padding:12px}
.stack,.stack tbody{display:block}
.stack thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.stack tr{display:grid;grid-template-columns:1fr auto;column-gap:12px;padding:8px 0}
.stack th,.stack td{padding:0;min-width:0}
.stack .bar-cell{width:auto}
.stack .low br{display:none}
.tiles div:first-child{grid-column:1/-1}
.stack .wide{grid-column:1/-1;order:1}
.stack .low{grid-column:1/-1;order:2;text-align:left;white-space:normal;font-size:13px;color:var(--muted)}
.stack .low::before{content:attr(data-label) " "}
.rows tr{grid-template-columns:1fr}
.rows .number{text-align:left;white-space:normal}
}
@media (prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
`;
