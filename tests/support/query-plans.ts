import { PrismaPg } from "@prisma/adapter-pg";
import { Client } from "pg";
import { expect } from "vitest";
import type { Database } from "#lib/platform/database/index";
import { PrismaClient } from "#prisma/generated/client";

export type PlanNode = {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: PlanNode[];
};

/** Returns a node of a plan and all below it. */
export const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Explains the queries that are sent through a database client of its own. */
export async function openExplainer(url: string) {
  const asked: { query: string; params: string }[] = [];
  const recording = new PrismaClient({
    adapter: new PrismaPg({ connectionString: url }),
    log: [{ emit: "event", level: "query" }],
  });
  recording.$on("query", (query) => void asked.push(query));
  const explainer = new Client({ connectionString: url });
  await explainer.connect();
  return {
    client: recording as unknown as Database,
    /** Returns the nodes of the plan of each query that a function reads by. Ignores its errors. */
    async plansOf(ask: () => Promise<unknown>): Promise<PlanNode[][]> {
      asked.length = 0;
      await ask().catch(() => undefined);
      const queries = asked.filter(({ query }) => /^\s*(?:SELECT|WITH)/.test(query));
      expect(queries.length).toBeGreaterThan(0);
      const plans: PlanNode[][] = [];
      for (const { query, params } of queries) {
        const explained = `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${query}`;
        const { rows } = await explainer.query(explained, JSON.parse(params));
        plans.push(nodesOf(rows[0]["QUERY PLAN"][0].Plan));
      }
      return plans;
    },
    async close(): Promise<void> {
      await explainer.end();
      await recording.$disconnect();
    },
  };
}
