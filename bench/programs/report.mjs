/** Prints what a load cost: time, processor time, memory now and at most, files. */
export function report(begun, facts) {
  const ms = performance.now() - begun;
  const { user, system } = process.cpuUsage();
  const { maxRSS } = process.resourceUsage();
  console.log(
    JSON.stringify({
      ms,
      cpuMs: (user + system) / 1_000,
      rss: process.memoryUsage.rss(),
      peak: maxRSS * 1_024,
      ...facts,
    }),
  );
}
