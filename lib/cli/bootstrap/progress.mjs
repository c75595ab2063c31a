const firstLineAfterMs = 1_000;
const updateMs = 1_000;

/**
 * Runs `work`. Where that takes longer than a second, one line says what goes on and, at the end, how long it took;
 * on a terminal the line counts the seconds.
 */
export async function withProgress(label, work) {
  const startedMs = performance.now();
  const seconds = () => `${Math.round((performance.now() - startedMs) / 1_000)} s`;
  const isTerminal = process.stdout.isTTY === true;
  let isShown = false;
  const show = () => {
    process.stdout.write(isTerminal ? `\r\u001b[K${label}… ${seconds()}` : isShown ? "" : `${label}…`);
    isShown = true;
  };
  let timer = setTimeout(() => {
    show();
    timer = setInterval(show, updateMs);
  }, firstLineAfterMs);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    if (isShown) process.stdout.write(isTerminal ? `\r\u001b[K${label}… ${seconds()}\n` : ` ${seconds()}\n`);
  }
}
