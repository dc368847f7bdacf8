/** Four words of 32 bits. */
type State = [number, number, number, number];

interface Rounds {
  readonly perWord: number;
  readonly atTheEnd: number;
}

/**
 * HalfSipHash with 64 bits of output, written from its description for clarity, not speed.
 *
 * @param lengthByte the last byte of the last word: in the original the number of bytes.
 * @returns the lower and the upper word.
 */
export function halfSipHash(
  bytes: readonly number[],
  [k0, k1]: readonly [number, number],
  { perWord, atTheEnd }: Rounds,
  lengthByte: number = bytes.length,
): [number, number] {
  const state: State = [k0, k1 ^ 0xee, k0 ^ 0x6c796765, k1 ^ 0x74656462];
  const padded = [...bytes];
  while (padded.length % 4 < 3) padded.push(0);
  padded.push(lengthByte & 0xff);
  for (let at = 0; at < padded.length; at += 4) {
    const word = padded.slice(at, at + 4).reduce((sum, byte, index) => sum + byte * 256 ** index, 0);
    state[3] ^= word;
    mix(state, perWord);
    state[0] ^= word;
  }
  state[2] ^= 0xee;
  mix(state, atTheEnd);
  const low = (state[1] ^ state[3]) >>> 0;
  state[1] ^= 0xdd;
  mix(state, atTheEnd);
  return [low, (state[1] ^ state[3]) >>> 0];
}

function mix(state: State, rounds: number): void {
  for (let round = 0; round < rounds; round += 1) {
    addRotateXor(state, 0, 1, 5);
    state[0] = rotate(state[0], 16);
    addRotateXor(state, 2, 3, 8);
    addRotateXor(state, 0, 3, 7);
    addRotateXor(state, 2, 1, 13);
    state[2] = rotate(state[2], 16);
  }
}

function addRotateXor(state: State, sum: 0 | 2, other: 1 | 3, bits: number): void {
  state[sum] = (state[sum] + state[other]) >>> 0;
  state[other] = rotate(state[other], bits) ^ state[sum];
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
