import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { childEnvironment } from "#lib/platform/config";
import { deferred } from "#tests/support/deferred";
import { isExtended } from "#tests/support/extended";
import { answerWith, ModelDouble, modelKey } from "#tests/support/model-double";
import { sharedDatabase } from "#tests/support/shared-database";
import { createModelFixture, settingsFor } from "./model-fixture";

const workerFile = fileURLToPath(new URL("../../../../support/model-worker.ts", import.meta.url));

const database = sharedDatabase();

it.runIf(isExtended)(
  "a process killed between call and write causes one more question, and its tokens stay counted",
  async () => {
    const double = await ModelDouble.start();
    const fixture = createModelFixture(database.client, new Date());
    const request = await fixture.addChange();
    const settings = settingsFor(double, "anthropic");
    const asked = deferred();
    double.model = () => {
      asked.resolve();
      return "silence";
    };
    const environment = {
      ANALYSIS_MODEL: settings.ANALYSIS_MODEL,
      ANALYSIS_BASE_URL: double.origin,
      ANALYSIS_API_KEY: modelKey,
    };
    const child = fork(workerFile, [database.url, JSON.stringify(environment), JSON.stringify(request.subject)], {
      execArgv: ["--import", "tsx"],
      env: childEnvironment({ BASE_URL: undefined, NODE_OPTIONS: undefined }),
    });
    await asked.promise;
    child.kill("SIGKILL");
    await once(child, "exit");
    const reserved = await fixture.usedTokens();
    expect(reserved).toBeGreaterThan(4_000);

    double.model = () => answerWith();
    for (let count = 0; count < 3; count += 1) expect(await fixture.analyser(settings)(request)).not.toBeNull();
    expect(double.requests).toHaveLength(2);
    // The answer was awaited as long as the killed process could still have stored it.
    expect(fixture.waits.reduce((sum, waitMs) => sum + waitMs, 0)).toBeGreaterThan(50_000);
    expect(await fixture.usedTokens()).toBe(reserved + 790);
  },
);
