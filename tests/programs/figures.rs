// figures.rs - a value of every kind that Rust adds, for tests/e2e/rust.t
//
// It needs nothing but the C library, so that figures.s, which is
//
//	rustc -g -C dwarf-version=5 -C panic=abort -C codegen-units=1 \
//		-C overflow-checks=off --remap-path-prefix=$PWD=. \
//		--crate-type=staticlib --emit=asm -o figures.s figures.rs
//
// can be assembled and linked where there is no rustc.
#![no_std]

fn black_box<T>(it: T) { unsafe { core::arch::asm!("/* {0} */", in(reg) &it as *const T) } }
use core::panic::PanicInfo;

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    loop {}
}

extern "C" {
    fn alarm(seconds: u32) -> u32;
}

#[derive(Clone, Copy)]
pub struct Point {
    pub x: i32,
    pub y: i32,
}

pub struct Pair(u8, char);
pub struct Unit;

#[derive(Clone, Copy)]
pub enum Color {
    Red,
    Green = 5,
}

pub enum Shape {
    Circle(f64),
    Rect { w: i32, h: i32 },
    Empty,
}

pub mod deep {
    pub static LIMIT: i32 = 30;
    pub struct Leaf {
        pub id: u64,
    }
}

static TITLE: &str = "a title";

pub struct Counter<'a> {
    hits: u64,
    name: &'a str,
    last: Option<&'a Point>,
}

impl<'a> Counter<'a> {
    #[inline(never)]
    fn look(&mut self, n: i32, text: &str, shape: &Shape, by_value: Point, maybe: Option<i32>) -> i32 {
        let local = Point { x: 12, y: 18 };
        let pair = Pair(7, 'q');
        let tuple = (n, 2.5f64, true);
        let nothing = ();
        let array = [1u16, 2, 3];
        let slice: &[u16] = &array;
        let color = Color::Green;
        let red = Color::Red;
        let rect = Shape::Rect { w: 3, h: 4 };
        let empty = Shape::Empty;
        let some_ref: Option<&Point> = Some(&local);
        let no_ref: Option<&Point> = None;
        let none: Option<i32> = None;
        let fine: Result<u32, u8> = Ok(12);
        let nested: Option<Option<bool>> = Some(None);
        let leaf = deep::Leaf { id: 99 };
        let raw: *const i32 = &local.x;
        let byte = b'x';
        let gone = Unit;
        black_box((&local, &pair, &tuple, &nothing, &array, &slice, &color, &red));
        black_box((&rect, &empty, &some_ref, &no_ref, &none, &fine, &nested, &leaf));
        black_box((&raw, &byte, &gone, text, shape, by_value.x, &maybe, &deep::LIMIT));
        black_box((TITLE, pair.0, pair.1, leaf.id));
        self.hits += 1; /* here */
        n
    }
}

#[no_mangle]
pub extern "C" fn main() -> i32 {
    let point = Point { x: 1, y: 2 };
    let circle = Shape::Circle(1.5);
    let mut round = 0;
    let mut sum = 0;

    unsafe { alarm(120) }; // whatever becomes of who looks
    while round < 3 {
        let name = if round == 0 { "one" } else { "two" };
        let mut counter = Counter { hits: 3, name, last: Some(&point) };
        sum += counter.look(6, name, &circle, point, Some(4));
        black_box((&counter.hits, &counter.name, &counter.last));
        round += 1;
    }
    if sum == 18 { 0 } else { 1 }
}
