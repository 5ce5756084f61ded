import type { Fault } from '../matrix/faults.ts';

/** What is known of peers in Python, beside what `interop/matrix/faults.ts` says of FastMCP. */
export const PYTHON_FAULTS: readonly Fault[] = [
  {
    client: ['FastMCP', 'Python SDK'],
    bridge: ['FastMCP proxy, stdio → http'],
    ways: { era: 'legacy' },
    parts: ['large'],
    fields: ['read', 'verified'],
    whose: 'client',
    what: 'a server-sent event of more than 1 MiB ends the request',
    reproduction:
      'a server that answers `resources/read` of 1 MiB as `text/event-stream`; the client of the Python SDK 2.3.0 says "Server-sent event exceeded the 1048576 byte limit"',
  },
];
