//! What such limits take in Rust, across threads: `floor <loop | table> <per-call | coarse> <threads> <warm-up ms> <window ms>
//! <keys>` prints decisions a second of all threads together. Keys are those of the folder workloads.

mod bucket;
mod clock;
mod hot_loop;
mod keys;
mod table;
mod threads;

use clock::Reading;
use threads::Plan;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [program, clock, threads, warm_up_ms, window_ms, keys] = &words[..] else {
        panic!("expected six words, got {}", words.len());
    };
    let number = |text: &String| text.parse::<u64>().expect("expected a whole number");
    let reading = match clock.as_str() {
        "per-call" => Reading::PerCall,
        "coarse" => Reading::Coarse,
        other => panic!("expected a clock, got {other}"),
    };
    let plan = Plan { threads: number(threads) as usize, warm_up_ms: number(warm_up_ms), window_ms: number(window_ms) };
    let per_second = match program.as_str() {
        "loop" => hot_loop::measure(&plan, reading),
        "table" => table::measure(&plan, reading, number(keys) as usize),
        other => panic!("expected a program, got {other}"),
    };
    println!("{per_second:.0}");
}
