import { type Check, completions, holds, voids } from '../evidence.ts';

const completionsPerSlotMin = 5;
const emptyShareMax = 0.5;

/**
 * Sessions start out of step, so replies that come each when it is done fill the window evenly: with five
 * expected per slot, chance leaves 0.7 % of the slots empty. When most are empty, something held replies
 * back and released them together, and the latency is that of the release.
 */
export const checkReplyBursts: Check = ({ result }) => {
  const { slots, empty, slotMs } = result.replySlots;
  if (slots === 0) return holds;
  const perSlot = completions(result.window) / slots;
  if (perSlot < completionsPerSlotMin || empty / slots <= emptyShareMax) return holds;
  return voids(
    'reply-bursts',
    `replies came in bursts: ${((empty / slots) * 100).toFixed(0)} % of the ${slotMs} ms slots had none, where ${perSlot.toFixed(0)} each were expected`,
    'a session must hand on each reply when it arrives; its latency is otherwise the latency of the release',
  );
};
