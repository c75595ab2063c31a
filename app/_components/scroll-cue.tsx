/** Says in a box with the class `scroll-box` that it scrolls sideways, if it does. */
export function ScrollCue() {
  return (
    <span aria-hidden="true" className="scroll-cue">
      Scroll sideways to see all columns →
    </span>
  );
}
