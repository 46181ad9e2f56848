import { type Check, completions, pass, type TrialEvidence, fail, warn } from '../evidence.ts';

const completionsPerSlotMin = 5;
const emptyShareMax = 0.5;
/** Above this share of the window with work but no processor, the load client itself explains bursts. */
const starvedShareMin = 0.25;

/** A release moves a latency by its period at most: up to this share of the mean latency it is not judged. */
const periodShareMax = 0.1;

/**
 * Sessions start out of step, so replies sent one by one fill the window evenly: with five expected per slot, chance
 * leaves 0.7 % of the slots empty. Mostly empty slots mean that something held replies back and released them
 * together, so the latency is the latency of the release. With many operations in flight, client and server take turns
 * on the processors, and each turn answers many: the mean latency is then many slots long, and the turns hardly change
 * it. A durable system may wait for the flush that covers a reply: as far as a slow disk explains it, this is a
 * warning. The same applies when the load client had replies to read and no processor.
 */
export const checkReplyBursts: Check = (evidence) => {
  const { cell, result } = evidence;
  const { slots, empty, slotMs } = result.replySlots;
  if (slots === 0) return pass;
  // The replies of a batch come together.
  const perSlot = completions(result.window) / cell.batch / slots;
  const emptyShare = empty / slots;
  if (perSlot < completionsPerSlotMin || emptyShare <= emptyShareMax) return pass;
  const periodMs = slotMs / (1 - emptyShare);
  if (periodMs <= periodShareMax * result.latencyMsMeanWindow) return pass;
  const message = `replies came in bursts: ${(emptyShare * 100).toFixed(0)} % of the ${slotMs} ms slots had none, where ${perSlot.toFixed(0)} each were expected`;
  const flushes = flushesPerSlot(evidence);
  // Flushes at random times leave e^−flushes of the slots without a flush, and so without a reply.
  const explained = flushes === null ? 0 : Math.exp(-flushes);
  if (emptyShare <= emptyShareMax + (1 - emptyShareMax) * explained) {
    return warn(
      'reply-bursts',
      `${message}; the disk did ${flushes?.toFixed(1)} flushes a slot, and a durable commit waits for one`,
      'use a faster disk by --data-dir, or read the latency as that of the disk',
    );
  }
  const starved = starvedShare(evidence);
  if (starved >= starvedShareMin) {
    return warn(
      'reply-bursts',
      `${message}; for ${(starved * 100).toFixed(0)} % of the window the load client had work and no processor`,
      'stop other programs on this machine, or use one with more cores',
    );
  }
  return fail(
    'reply-bursts',
    message,
    'a session must report each reply when it arrives, otherwise it reports the latency of the release',
  );
};

/** Share of the window in which the event loop was busy and the process had no processor: 0 to 1. */
function starvedShare({ result }: TrialEvidence): number {
  const { loopUtilization, cpuUserUs, cpuSystemUs } = result.effort;
  const processorShare = (cpuUserUs + cpuSystemUs) / (result.timing.windowMs * 1000);
  return Math.max(0, (loopUtilization ?? 0) - processorShare);
}

/** Flushes per slot that could release durable commits; null where commits wait for none, or it is unknown. */
function flushesPerSlot({ factsAfter, storage, result }: TrialEvidence): number | null {
  if (factsAfter.durability !== 'durable' || storage === null) return null;
  const { slotMs } = result.replySlots;
  const { warmupMs, windowMs, drainMs } = result.timing;
  const possible = (storage.fsyncPerSecond * slotMs) / 1000;
  if (storage.deviceFlushes === null) return possible;
  return Math.min(possible, (storage.deviceFlushes * slotMs) / (warmupMs + windowMs + drainMs));
}
