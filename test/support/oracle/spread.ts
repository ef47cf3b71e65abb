// Knows by how many seconds a job's own hash delays it: FNV-1a with 64 bits and the finisher of MurmurHash3.

const xorShifted = (value: bigint): bigint => value ^ (value >> 33n)
const times = (value: bigint, factor: bigint): bigint => BigInt.asUintN(64, value * factor)

function hash64(text: string): bigint {
  const sum = Buffer.from(text, 'utf8').reduce(
    (hash, byte) => times(hash ^ BigInt(byte), 1_099_511_628_211n),
    14_695_981_039_346_656_037n,
  )
  const once = times(xorShifted(sum), 0xff51_afd7_ed55_8ccdn)
  return xorShifted(times(xorShifted(once), 0xc4ce_b9fe_1a85_ec53n))
}

export function delaySecondsOf(jobId: string, spreadSeconds: number): number {
  return spreadSeconds === 0 ? 0 : Number(hash64(`spread/${jobId}`) % BigInt(spreadSeconds))
}
