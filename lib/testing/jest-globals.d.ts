/** What is used of Jest's own module, which only exists while Jest runs. */
declare module "@jest/globals" {
  export const expect: {
    getState(): {
      testPath?: string;
      currentTestName?: string;
      /** Of a test of `test.concurrent`, whose name the member before does not have. */
      currentConcurrentTestName?: () => string | undefined;
      /** The running test, in newer versions. */
      currentTestIdentity?: () => object | undefined;
      assertionCalls: number;
      expectedAssertionsNumber?: number | null;
      isExpectingAssertions?: boolean;
      /** Failures that a test collects, such as of snapshots. */
      suppressedErrors?: unknown[];
    };
  };
  export function afterEach(hook: () => Promise<void>, timeoutMs: number): void;
}
