// V8 at work: for each number that it reads it makes so many calls into C, new
// code, and garbage.
console.log("ready");
require("readline").createInterface({input: process.stdin}).on("line", line => {
	let calls = 0, sum = 0;
	for (let i = 0; i < Number(line); i++) {
		sum += new Function("x", `return x * ${i % 50} + ${i}`)(2);
		const made = Array.from({length: 100}, (_, k) => ({["k" + i]: k + i}));
		sum += JSON.stringify(made).length;
		if (process.ppid > 0)
			calls++;
	}
	console.log(`calls ${calls} sum ${sum}`);
});
