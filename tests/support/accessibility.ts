import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";

/**
 * Returns axe's violations on a page, one line per rule. No page has frames, so axe can run inside the page. Passed
 * rules are not collected, because that takes most of its time.
 */
export async function accessibilityViolations(page: Page, { only }: { only?: string } = {}): Promise<string[]> {
  const builder = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ["violations"] });
  if (only) builder.withRules([only]);
  const { violations } = await builder.analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
