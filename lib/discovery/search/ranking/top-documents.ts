type Selection = {
  /** Documents to select from; only the first `count` are considered. */
  documents: Int32Array;
  count: number;
  /** Scores by document number. */
  scores: Float64Array;
  limit: number;
  /** Order of documents with the same score. */
  compare: (a: number, b: number) => number;
};

/** Returns the best documents, best first, without sorting the others: a heap with the worst of the best at its root. */
export function topDocuments({ documents, count, scores, limit, compare }: Selection): number[] {
  const isWorse = (a: number, b: number) => {
    const difference = (scores[a] as number) - (scores[b] as number);
    return difference === 0 ? compare(a, b) > 0 : difference < 0;
  };
  const heap: number[] = [];
  const sink = (from: number) => {
    const document = heap[from] as number;
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isWorse(heap[child + 1] as number, heap[child] as number)) child += 1;
      if (!isWorse(heap[child] as number, document)) break;
      heap[at] = heap[child] as number;
      at = child;
    }
    heap[at] = document;
  };
  const kept = Math.min(limit, count);
  for (let index = 0; index < kept; index++) heap.push(documents[index] as number);
  for (let at = (kept >> 1) - 1; at >= 0; at--) sink(at);
  for (let index = kept; index < count && kept > 0; index++) {
    const document = documents[index] as number;
    if (!isWorse(heap[0] as number, document)) continue;
    heap[0] = document;
    sink(0);
  }
  return heap.sort((a, b) => (isWorse(a, b) ? 1 : -1));
}
