"""How the page looks: colours, fonts of the visitor's own system, and the few rules of its own."""

from __future__ import annotations

from typing import Any

_SYSTEM_FONTS = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Noto Sans", "sans-serif")
_FIXED_FONTS = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace")

TITLE = """
<header class="mc-header">
  <span class="mc-title">multicut</span>
  <span class="mc-subtitle">Drop an image or a graph with costs, choose a solver, see the
  cheapest way to take it apart.</span>
</header>
"""

CSS = """
.gradio-container { max-width: 1500px !important; padding: 0 20px 12px !important; }
.gradio-container > .main { padding-top: 8px !important; }
footer { display: none !important; }
.mc-header { display: flex; align-items: baseline; gap: 14px; padding: 2px 2px 0; }
.mc-title { font-size: 1.35rem; font-weight: 650; letter-spacing: -0.01em; }
.mc-subtitle { color: var(--body-text-color-subdued); font-size: .92rem; }
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
  white-space: nowrap; overflow: hidden; text-overflow: ellipsis; min-height: 1.3em; }
.mc-value { font-size: 1.22rem; font-weight: 600; font-variant-numeric: tabular-nums;
  line-height: 1.35; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.mc-hint { color: var(--body-text-color-subdued); font-size: .85rem; line-height: 1.35;
  margin: 0 2px; }
.mc-table + .mc-hint { margin-top: 10px; }
.mc-table { width: 100%; border-collapse: collapse; font-size: .9rem;
  font-variant-numeric: tabular-nums; }
.mc-table th, .mc-table td { text-align: right !important; padding: 6px 10px !important;
  border: none !important; border-bottom: 1px solid var(--border-color-primary) !important; }
.mc-table th:first-child { text-align: left !important; }
.mc-table, .mc-table tr { border: none !important; }
.mc-table thead th { color: var(--body-text-color-subdued); font-weight: 500; }
.mc-best { font-weight: 650; }
.mc-picture img { object-fit: contain; }
.html-container { padding: 0 !important; }
#message:not(:has(.mc-message)), #insight:not(:has(.mc-hint)) { display: none; }
.form:has(> #view), #view { padding: 0; border: none !important; background: none !important;
  box-shadow: none; }
#view label { background: none; border: none; box-shadow: none; padding: 2px 10px 2px 4px; }
#upload .wrap { font-size: .85rem; line-height: 1.35; padding-top: 16px; min-height: 0; }
#upload .icon-wrap { width: 18px; margin-bottom: 2px; }
#input { gap: 10px; }
#details textarea { font-family: var(--font-mono); font-size: .82rem; }
@media (max-width: 760px) { .mc-cards { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
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
