"""What the browser does in the tab for corrections: clicks, lines, keys and downloads."""

# Clicks are told as shares of the picture's width and height, whatever size it is shown in. With a
# mouse a line can be drawn; on a touch screen such a movement scrolls.
PROOF_SCRIPT = """
<script>
Object.assign(multicutPage, {
  gestures: [],
  withGesture(values) {
    values[1] = JSON.stringify(this.gestures.shift() ?? []);
    return values;
  },
  download(file) {
    if (!file?.url) return;
    const link = document.createElement("a");
    link.href = file.url;
    link.download = file.orig_name ?? "";
    link.click();
  },
  // Where the picture is within its frame. While a new one is loading it is where the last one was.
  place(image, event) {
    const frame = document.getElementById("proof-picture").getBoundingClientRect();
    const box = image.getBoundingClientRect();
    if (image.naturalWidth && box.width && box.height) {
      const scale = Math.min(box.width / image.naturalWidth, box.height / image.naturalHeight);
      const [width, height] = [scale * image.naturalWidth, scale * image.naturalHeight];
      const left = box.left + (box.width - width) / 2 - frame.left;
      this.area = { left, top: box.top + (box.height - height) / 2 - frame.top, width, height };
    }
    const { left, top, width, height } = this.area ?? frame;
    const [x, y] = [event.clientX - frame.left - left, event.clientY - frame.top - top];
    return [x / width, y / height];
  },
  isDown: null,
  press(event) {
    const image = event.target.closest?.("#proof-picture button")?.querySelector("img");
    if (image && event.button === 0) this.isDown = { image, x: event.clientX, y: event.clientY,
      from: this.place(image, event) };
  },
  move(event) {
    if (!this.isDown || event.pointerType !== "mouse") return;
    const [right, down] = [event.clientX - this.isDown.x, event.clientY - this.isDown.y];
    const length = Math.hypot(right, down);
    this.line ??= document.body.appendChild(
      Object.assign(document.createElement("div"), { id: "proof-line" }));
    Object.assign(this.line.style, { left: `${this.isDown.x}px`, top: `${this.isDown.y}px`,
      width: `${length}px`, transform: `rotate(${Math.atan2(down, right)}rad)`,
      display: length > 8 ? "block" : "none" });
  },
  release(event) {
    const start = this.isDown;
    this.drop();
    if (!start) return;
    this.gestures.push([...start.from, ...this.place(start.image, event)]);
    document.getElementById("proof-gestured")?.click();
  },
  drop() {
    this.isDown = null;
    this.line?.remove();
    this.line = null;
  },
  keys: {
    j: () => document.querySelectorAll("#proof-mode input")[0],
    s: () => document.querySelectorAll("#proof-mode input")[1],
    u() {
      const views = [...document.querySelectorAll("#proof-view input")];
      return views[views[1].checked ? 0 : 1];
    },
    n: "proof-suggest", y: "proof-yes", x: "proof-no", l: "proof-learn",
    z: "proof-undo", Z: "proof-redo",
    Escape: "proof-clear",
  },
  type(event) {
    const field = event.target.closest?.("input:not([type=radio]), textarea, select");
    const isShown = document.querySelector("#proof-picture img")?.offsetParent;
    if (field || event.altKey || !isShown) return;
    let key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (event.ctrlKey || event.metaKey) {
      if (key !== "z" && key !== "y") return;
      key = key === "y" || event.shiftKey ? "Z" : "z";
    } else if (key === "z" && event.shiftKey) key = "Z";
    const found = this.keys[key];
    if (!found || event.repeat && key !== "z" && key !== "Z") return;
    event.preventDefault();
    (typeof found === "string" ? document.getElementById(found) : found())?.click();
  },
});
addEventListener("pointerdown", (event) => multicutPage.press(event));
addEventListener("pointermove", (event) => multicutPage.move(event));
addEventListener("pointerup", (event) => multicutPage.release(event));
addEventListener("pointercancel", () => multicutPage.drop());
addEventListener("dragstart", (event) => {
  if (event.target.closest?.("#proof-picture")) event.preventDefault();
});
addEventListener("keydown", (event) => multicutPage.type(event));
</script>
"""
