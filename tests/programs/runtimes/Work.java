import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Arrays;

/*
 * A JVM at work: for each number that it reads, four threads make so much
 * garbage, and the first one asks for collections and follows null pointers,
 * which the JVM finds by its own SIGSEGVs. It counts for itself.
 */
public class Work {
	static final class Cell {
		int value;
		Cell next;
	}

	static int met, collections;
	static volatile Object sink;

	static int valueOf(Cell cell) {
		return cell.value;
	}

	static int touch(Cell cell) {
		try {
			return valueOf(cell);
		} catch (NullPointerException e) {
			met++;
			return 1;
		}
	}

	static long garbage(int seed) {
		Cell head = null;
		long sum = 0;
		for (int i = 0; i < 2000; i++) {
			Cell cell = new Cell();
			cell.value = i ^ seed;
			cell.next = head;
			head = i % 16 == 0 ? null : cell;
			sum += cell.value;
			sink = new byte[200];
		}
		return sum;
	}

	static long work(int rounds, Cell some) throws InterruptedException {
		long[] sums = new long[4];
		Thread[] threads = new Thread[sums.length];

		for (int t = 0; t < threads.length; t++) {
			int number = t;
			threads[t] = new Thread(() -> {
				for (int i = 0; i < rounds; i++)
					sums[number] += garbage(i * 4 + number);
			});
			threads[t].start();
		}
		met = collections = 0;
		for (int i = 0; i < rounds; i++) {
			touch(i % 4 == 0 ? null : some);
			if (i % 50 == 0) {
				System.gc();
				collections++;
			}
		}
		for (Thread thread : threads)
			thread.join();
		return Arrays.stream(sums).sum();
	}

	public static void main(String[] arguments) throws Exception {
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
		Cell some = new Cell();

		/* so that valueOf() is compiled */
		for (int i = 0; i < 200000; i++)
			touch(some);
		System.out.println("ready");
		for (String line; (line = in.readLine()) != null;) {
			long sum = work(Integer.parseInt(line), some);
			System.out.println("collections " + collections + " met " + met + " sum " + sum);
		}
	}
}
