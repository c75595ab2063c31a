/** Attributes of a scrollable box, which give it a name and make it reachable by keyboard. */
export function scrollBox(label: string) {
  return { tabIndex: 0, role: "group", "aria-label": label } as const;
}

/** Says in a box with the class `scroll-box` that it scrolls sideways, if it does. */
export function ScrollCue() {
  return (
    <span aria-hidden="true" className="scroll-cue">
      Scroll sideways to see all columns →
    </span>
  );
}
