"use client";

import { useEffect, useId, useState } from "react";
import styles from "./site.module.css";

/** Where the choice is kept; `public/theme.js` reads it. */
const storageKey = "theme";

const themes = [
  ["system", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
] as const;

function readTheme(): string {
  return document.documentElement.dataset.theme ?? "system";
}

function applyTheme(theme: string): void {
  const { dataset } = document.documentElement;
  if (theme === "system") delete dataset.theme;
  else dataset.theme = theme;
  try {
    if (theme === "system") localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, theme);
  } catch {
    // Storage is blocked: the choice lasts until the page is left.
  }
}

/** Chooses the colours: those of the system, light or dark. Hidden without JavaScript. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState("system");
  const id = useId();
  useEffect(() => setTheme(readTheme()), []);
  return (
    <p className={`${styles.theme} row scripted`}>
      <label htmlFor={id}>Theme</label>
      <select
        id={id}
        value={theme}
        autoComplete="off"
        onChange={({ target }) => {
          applyTheme(target.value);
          setTheme(target.value);
        }}
      >
        {themes.map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    </p>
  );
}
