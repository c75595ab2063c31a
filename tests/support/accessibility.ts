import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";
import type axe from "axe-core";

const axeFile = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/**
 * Returns axe's violations on a page, one line per rule. No page has frames, so axe can run inside the page, into which
 * it is loaded once. Passed rules are not collected, because that takes most of its time.
 */
export async function accessibilityViolations(page: Page, { only = [] }: { only?: string[] } = {}): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(readFileSync(axeFile, "utf8"));
  const options: axe.RunOptions = {
    resultTypes: ["violations"],
    // Of the rules of WCAG 2.2 AA, axe runs this one only on request: targets of at least 24 by 24 pixels, or apart.
    rules: { "target-size": { enabled: true } },
    ...(only.length > 0 && { runOnly: { type: "rule", values: only } }),
  };
  const { violations } = await page.evaluate(async (chosen) => {
    // A colour on its way to another theme is no finding.
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(transitions.map(({ finished }) => finished));
    return (window as unknown as { axe: typeof axe }).axe.run(chosen);
  }, options);
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
