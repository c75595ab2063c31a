/** Maximum requests started per turn of the event loop. */
const maxStartsPerTurn = 8;

/**
 * Spreads a burst of requests over several turns of the event loop. Starting a request takes most of a millisecond: two
 * hundred in one turn would delay every open stream.
 */
export function startGate(start) {
  const waiting = [];
  let next = 0;
  let started = 0;
  let isTurnScheduled = false;

  function scheduleTurn() {
    if (isTurnScheduled) return;
    isTurnScheduled = true;
    setImmediate(turn);
  }

  function turn() {
    isTurnScheduled = false;
    started = 0;
    while (next < waiting.length && started < maxStartsPerTurn) {
      started += 1;
      const [request, response] = waiting[next];
      waiting[next] = undefined;
      next += 1;
      if (!response.destroyed) start(request, response);
    }
    if (next === waiting.length) {
      waiting.length = 0;
      next = 0;
    }
    if (started > 0) scheduleTurn();
  }

  return (request, response) => {
    scheduleTurn();
    if (started < maxStartsPerTurn && next === waiting.length) {
      started += 1;
      start(request, response);
    } else waiting.push([request, response]);
  };
}
