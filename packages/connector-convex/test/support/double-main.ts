// A double in its own process, so that it does not share the measuring process's time. Prints its address, and ends
// with its standard input.
import { startConvexProtocolDouble } from './convex-protocol-double.ts';
import { doubled, transfers } from './transfers.ts';

const double = await startConvexProtocolDouble({
  workload: doubled.get(process.argv[2] ?? '') ?? transfers,
});
const { url, adminKey, dataDirectory } = double;
process.stdout.write(`${JSON.stringify({ url, adminKey, dataDirectory })}\n`);
process.stdin.resume();
process.stdin.on('end', () => void double.close());
