import { type RefObject, useEffect } from "react";

const editable = "input, textarea, select, [contenteditable]";

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(editable) !== null;
}

const isModified = ({ ctrlKey, metaKey, altKey, shiftKey }: MouseEvent) => ctrlKey || metaKey || altKey || shiftKey;

/** The link under a click that leads to the field, if there is one. */
function linkTo(id: string, { target }: MouseEvent): Element | null {
  return target instanceof Element ? target.closest(`a[href$="#${id}"]`) : null;
}

/** `/` anywhere on the page leads into the field, and so does a link to it: where the field is there, nobody has to leave. */
export function useSearchShortcut(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const id = field.current?.id ?? "";
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      field.current?.focus();
    };
    const onClick = (event: MouseEvent) => {
      const link = isModified(event) ? null : linkTo(id, event);
      if (!link) return;
      event.preventDefault();
      link.closest("details")?.removeAttribute("open");
      field.current?.focus();
    };
    if (location.hash === `#${id}`) field.current?.focus();
    addEventListener("keydown", onKey);
    addEventListener("click", onClick, { capture: true });
    return () => {
      removeEventListener("keydown", onKey);
      removeEventListener("click", onClick, { capture: true });
    };
  }, [field]);
}
