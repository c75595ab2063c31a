import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";

/**
 * Returns axe's violations on a page, one line per rule. No page has frames, so axe can run inside the page. Passed
 * rules are not collected, because that takes most of its time.
 */
export async function accessibilityViolations(page: Page, { only = [] }: { only?: string[] } = {}): Promise<string[]> {
  // Of the rules of WCAG 2.2 AA, axe runs this one only on request: targets of at least 24 by 24 pixels, or apart.
  const rules = { "target-size": { enabled: true } };
  const builder = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ["violations"], rules });
  if (only.length > 0) builder.withRules(only);
  const { violations } = await builder.analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
