"""How the page looks: colours, fonts of the visitor's own system, and the few rules of its own."""

from __future__ import annotations

from typing import Any

_SYSTEM_FONTS = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Noto Sans", "sans-serif")
_FIXED_FONTS = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace")

TITLE = """
<header class="mc-header">
  <span class="mc-title">multicut</span>
  <span class="mc-subtitle">Drop an image or a graph with costs, choose a solver and view
  the partition of minimum cost.</span>
  <span id="working" role="status" aria-live="polite"></span>
</header>
"""

# Signs of work appear before the server has answered, and plots follow the colours of the page.
SCRIPT = """
<script>
window.multicutPage = {
  tasks: new Map(),
  isDark: () => document.body.classList.contains("dark"),
  show() {
    const place = document.getElementById("working");
    if (place) place.textContent = [...this.tasks.keys()].map((words) => words + " …").join(" ");
  },
  begin(words, values) {
    this.tasks.set(words, true);
    this.show();
    this.drawnDark = this.isDark();
    values[values.length - 1] = this.drawnDark;
    values[values.length - 2] = this.token();
    return values;
  },
  end(words) {
    this.tasks.delete(words);
    this.show();
    this.follow();
  },
  // The random name of this tab, by which a page that is loaded again finds its visit.
  token() {
    if (!this.name) {
      try { this.name = sessionStorage.getItem("multicut"); } catch { /* no storage, no reload */ }
    }
    if (!this.name) {
      const bytes = crypto.getRandomValues(new Uint8Array(16));
      this.name = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      try { sessionStorage.setItem("multicut", this.name); } catch { /* as above */ }
    }
    return this.name;
  },
  follow() {
    const isNew = this.drawnDark !== undefined && this.drawnDark !== this.isDark();
    if (isNew && this.tasks.size === 0) document.getElementById("redraw")?.click();
  },
};
multicutPage.watch = () => new MutationObserver(() => multicutPage.follow())
  .observe(document.body, { attributes: true, attributeFilter: ["class"] });
if (document.body) multicutPage.watch();
else addEventListener("DOMContentLoaded", multicutPage.watch);
</script>
"""

CSS = """
.gradio-container { max-width: 1500px !important;
  padding: 0 clamp(4px, 1.6vw, 20px) 12px !important; }
.gradio-container > .main { padding: 8px clamp(4px, 2.5vw, 32px) 0 !important; }
footer { display: none !important; }
.mc-header { display: flex; align-items: baseline; gap: 14px; padding: 2px 2px 0; }
.mc-title { font-size: 1.35rem; font-weight: 650; letter-spacing: -0.01em; }
.mc-subtitle { color: var(--body-text-color-subdued); font-size: .92rem; }
#working { position: fixed; top: 10px; right: 16px; z-index: 100; padding: 4px 12px 4px 32px;
  border-radius: 999px; background: var(--color-accent); color: white; font-size: .85rem; }
#working:empty { display: none; }
#working::before { content: ""; position: absolute; left: 10px; top: calc(50% - 7px); width: 14px;
  height: 14px; box-sizing: border-box; border: 2px solid currentColor; border-radius: 50%;
  border-right-color: transparent; animation: mc-turn .8s linear infinite; }
@keyframes mc-turn { to { transform: rotate(1turn); } }
.mc-message {
  border-left: 4px solid #d1422f; background: color-mix(in srgb, #d1422f 10%, transparent);
  color: var(--body-text-color); padding: 9px 14px; border-radius: 6px; overflow-wrap: anywhere;
}
.mc-about { display: flex; flex-wrap: wrap; gap: 2px 10px; font-size: .88rem; padding: 0 2px;
  align-items: baseline; overflow-wrap: anywhere; }
.mc-about span { color: var(--body-text-color-subdued); }
.mc-cards { display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)); gap: 10px; }
.mc-card {
  display: flex; flex-direction: column; padding: 8px 12px; min-width: 0;
  background: var(--block-background-fill); border: 1px solid var(--border-color-primary);
  border-radius: 8px;
}
.mc-name, .mc-note { color: var(--body-text-color-subdued); font-size: .76rem; line-height: 1.3;
  min-height: 1.3em; }
.mc-value { font-size: 1.22rem; font-weight: 600; font-variant-numeric: tabular-nums;
  line-height: 1.35; overflow-wrap: anywhere; }
.mc-hint { color: var(--body-text-color-subdued); font-size: .85rem; line-height: 1.35;
  margin: 0 2px; }
.mc-scroll { overflow-x: auto; max-width: 100%; }
.mc-scroll + .mc-hint { margin-top: 10px; }
.mc-table { width: 100%; border-collapse: collapse; font-size: .9rem;
  font-variant-numeric: tabular-nums; }
.mc-table th, .mc-table td { text-align: right !important; padding: 6px 10px !important;
  border: none !important; border-bottom: 1px solid var(--border-color-primary) !important; }
.mc-table th:first-child { text-align: left !important; }
.mc-table th, .mc-table td { white-space: nowrap; }
.mc-table, .mc-table tr { border: none !important; }
.mc-table thead th { color: var(--body-text-color-subdued); font-weight: 500; }
.mc-best { font-weight: 650; }
.mc-proof { min-height: 2.6em; }
.mc-proof .mc-said { color: var(--body-text-color); flex-basis: 100%; }
.mc-proof .mc-refused { flex-basis: 100%; color: var(--body-text-color); padding: 1px 8px;
  border-left: 4px solid #d1422f; background: color-mix(in srgb, #d1422f 12%, transparent);
  border-radius: 4px; }
#proof-desk { gap: 8px; }
#proof-choice, #proof-choice .form { gap: 0; }
#proof-mode, #proof-view { padding: 6px 10px; }
#proof-start { max-width: 260px; }
#proof-picture img { cursor: crosshair; user-select: none; -webkit-user-drag: none; }
#proof-line { position: fixed; height: 3px; margin-top: -1.5px; background: #ff00aa; z-index: 99;
  transform-origin: 0 50%; pointer-events: none; border-radius: 2px;
  box-shadow: 0 0 0 1px rgb(255 255 255 / 70%); }
.mc-picture img { object-fit: contain; }
.html-container { padding: 0 !important; }
#message:not(:has(.mc-message)), #insight:not(:has(.mc-hint)) { display: none; }
.form:has(> #view), #view { padding: 0; border: none !important; background: none !important;
  box-shadow: none; }
#view label { background: none; border: none; box-shadow: none; padding: 2px 10px 2px 4px; }
#upload .wrap { font-size: .85rem; line-height: 1.35; padding-top: 16px; min-height: 0; }
#upload .icon-wrap { width: 18px; margin-bottom: 2px; }
#input { gap: 10px; }
#details textarea { font-family: var(--font-mono); font-size: .82rem; white-space: pre;
  overflow-x: auto; }
#network-choice { align-items: flex-end; }
@media (max-width: 760px) {
  .mc-cards { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .mc-card:last-child { grid-column: span 2; }
  #input { width: 100%; flex-grow: 1; }
  #proof-actions { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); }
  .mc-header { flex-direction: column; gap: 0; }
  .mc-picture { height: auto !important; padding-top: 30px !important; }
  .mc-picture img { max-height: 470px; }
  #tabs .tab-container button { padding-left: 10px; padding-right: 10px; }
}
"""


def make_theme() -> Any:
    """Return a theme that loads nothing from elsewhere."""
    import gradio as gr

    return gr.themes.Base(
        primary_hue="blue",
        neutral_hue="slate",
        radius_size="md",
        spacing_size="sm",
        text_size="sm",
        font=_SYSTEM_FONTS,
        font_mono=_FIXED_FONTS,
    )
