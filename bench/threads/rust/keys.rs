//! Keys and their orders, as in harness/keys.ts.

const BYTES_PER_KEY: usize = 16;

#[derive(Clone, Copy)]
pub struct Key {
    text: [u8; BYTES_PER_KEY],
    length: u8,
}

impl Key {
    pub fn new(index: u32) -> Self {
        let address = std::net::Ipv4Addr::from(mix32(index + 1)).to_string();
        let mut text = [0; BYTES_PER_KEY];
        text[..address.len()].copy_from_slice(address.as_bytes());
        Self { text, length: address.len() as u8 }
    }

    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.text[..usize::from(self.length)]
    }
}

/** The indices of all keys, in an order that the seed decides. */
pub fn shuffled(count: usize, seed: u32) -> Vec<u32> {
    let mut state = seed;
    let mut indices: Vec<u32> = (0..count as u32).collect();
    for last in (1..count).rev() {
        state = state.wrapping_add(0x9e37_79b9);
        let other = (u64::from(mix32(state)) * (last as u64 + 1)) >> 32;
        indices.swap(last, other as usize);
    }
    indices
}

fn mix32(value: u32) -> u32 {
    let mut mixed = value ^ (value >> 16);
    mixed = mixed.wrapping_mul(0x21f0_aaad);
    mixed ^= mixed >> 15;
    mixed = mixed.wrapping_mul(0x735a_2d97);
    mixed ^ (mixed >> 15)
}
