import { type RefObject, useEffect } from "react";

const editable = "input, textarea, select, [contenteditable]";

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(editable) !== null;
}

const isModified = ({ ctrlKey, metaKey, altKey, shiftKey }: MouseEvent) => ctrlKey || metaKey || altKey || shiftKey;

/** Returns the clicked link to the field, if there is one. */
function findClickedLink(id: string, { target }: MouseEvent): Element | null {
  return target instanceof Element ? target.closest(`a[href$="#${id}"]`) : null;
}

/** Focuses the field on `/`, and on clicks on links to it, which then do not navigate. */
export function useSearchShortcut(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const id = field.current?.id ?? "";
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      field.current?.focus();
    };
    const onClick = (event: MouseEvent) => {
      const link = isModified(event) ? null : findClickedLink(id, event);
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
