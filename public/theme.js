//# allFunctionsCalledOnLoad
(() => {
  // Runs before the page is drawn, so that a chosen theme does not flash. The switch is in app/_components/theme-switch.tsx.
  try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage is blocked: the system's theme applies.
  }
})();
