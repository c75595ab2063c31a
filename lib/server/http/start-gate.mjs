/** Maximum requests started per turn of the event loop. */
const maxStartsPerTurn = 8;
/** Maximum pipelined requests of a connection that wait for the one in progress; one more closes the connection. */
export const maxWaitingPerSocket = 64;

/**
 * Ends a response that has never had its connection, for which Node.js emits no event: what counts open requests would wait
 * for it. Later, because not all may listen yet.
 */
function drop(response) {
  response.destroy();
  process.nextTick(() => response.emit("close"));
}

/**
 * Decides when the requests of an HTTP server start.
 *
 * A connection has one request in progress: pipelined ones wait, and are dropped when the connection closes, because
 * nobody would read their responses. A burst from many connections is spread over several turns of the event loop:
 * starting a request takes most of a millisecond, and two hundred in one turn would delay every open stream. Until `opened`
 * settles, all wait.
 *
 * @param {import("node:http").RequestListener} start
 * @param {Promise<void>} [opened]
 * @returns {import("node:http").RequestListener}
 */
export function startGate(start, opened) {
  /** Pipelined requests by the socket that has a request in progress. */
  const pipelined = new WeakMap();
  const waiting = [];
  let next = 0;
  let started = 0;
  let isTurnScheduled = false;
  let isOpen = opened === undefined;
  opened?.then(() => {
    isOpen = true;
    scheduleTurn();
  });

  function scheduleTurn() {
    if (isTurnScheduled || !isOpen) return;
    isTurnScheduled = true;
    setImmediate(turn);
  }

  function turn() {
    isTurnScheduled = false;
    started = 0;
    while (next < waiting.length && started < maxStartsPerTurn) {
      const [request, response] = waiting[next];
      waiting[next] = undefined;
      next += 1;
      if (request.socket.destroyed) continue;
      started += 1;
      start(request, response);
    }
    if (next === waiting.length) {
      waiting.length = 0;
      next = 0;
    }
    if (started > 0) scheduleTurn();
  }

  function admit(request, response) {
    response.once("close", () => admitNext(request.socket));
    scheduleTurn();
    if (isOpen && started < maxStartsPerTurn && next === waiting.length) {
      started += 1;
      start(request, response);
    } else waiting.push([request, response]);
  }

  function admitNext(socket) {
    const queue = pipelined.get(socket) ?? [];
    if (socket.destroyed) for (const [, response] of queue.splice(0)) drop(response);
    const following = queue.shift();
    if (following) admit(...following);
    else pipelined.delete(socket);
  }

  return (request, response) => {
    const { socket } = request;
    const queue = pipelined.get(socket);
    if (!queue) {
      pipelined.set(socket, []);
      admit(request, response);
    } else if (queue.length < maxWaitingPerSocket) queue.push([request, response]);
    else {
      socket.destroy();
      drop(response);
    }
  };
}
