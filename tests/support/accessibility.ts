import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";

/**
 * What axe finds wrong with a page, a line for each broken rule. No page of ours has frames, so that axe can run within
 * the page; what holds is not collected, which takes most of its time.
 */
export async function findingsOf(page: Page, { only }: { only?: string } = {}): Promise<string[]> {
  const builder = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ["violations"] });
  if (only) builder.withRules([only]);
  const { violations } = await builder.analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
