"use client";

import { useEffect, useState } from "react";
import styles from "./site.module.css";

/** Where the choice is kept; `public/theme.js` reads it. */
const storageKey = "theme";

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
  useEffect(() => setTheme(readTheme()), []);
  return (
    <p className={`${styles.theme} row scripted`}>
      <label htmlFor="theme">Theme</label>
      <select
        id="theme"
        value={theme}
        autoComplete="off"
        onChange={({ target }) => {
          applyTheme(target.value);
          setTheme(target.value);
        }}
      >
        <option value="system">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </p>
  );
}
