/**
 * Responses to requests that were sent before the ones ahead of them had their answers.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** By connection, so that one listener serves all that wait on it. */
const queues: WeakMap<Socket, Set<ServerResponse>> = new WeakMap();

/**
 * Lets a response that waits behind others be closed when its connection is. Node closes the response that has its turn
 * alone; one in the queue would never be over, nor would what follows it: the drain, a stream and its place.
 *
 * @example
 * closeWithConnection(request, response)
 */
export function closeWithConnection(request: IncomingMessage, response: ServerResponse): void {
  if (response.socket !== null) return;
  const queue = queueOf(request.socket);
  queue.add(response);
  response.once('close', () => queue.delete(response));
}

function queueOf(socket: Socket): Set<ServerResponse> {
  const known = queues.get(socket);
  if (known !== undefined) return known;
  const queue = new Set<ServerResponse>();
  queues.set(socket, queue);
  socket.once('close', () => {
    for (const response of [...queue]) {
      // One that has its turn is closed by Node.
      if (response.socket !== null) continue;
      response.destroy();
      response.emit('close');
    }
  });
  return queue;
}
