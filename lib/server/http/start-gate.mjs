/** Requests that begin in one turn of the event loop, at most. */
const maxStartsPerTurn = 8;

/**
 * Spreads a burst of requests over turns of the event loop. Starting a request costs a good part of a millisecond; two
 * hundred in one turn would hold up every stream that already runs.
 */
export function startGate(start) {
  const waiting = [];
  let next = 0;
  let started = 0;
  let isTurnAsked = false;

  function askForTurn() {
    if (isTurnAsked) return;
    isTurnAsked = true;
    setImmediate(turn);
  }

  function turn() {
    isTurnAsked = false;
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
    if (started > 0) askForTurn();
  }

  return (request, response) => {
    askForTurn();
    if (started < maxStartsPerTurn && next === waiting.length) {
      started += 1;
      start(request, response);
    } else waiting.push([request, response]);
  };
}
