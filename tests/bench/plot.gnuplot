# The picture of the figures: called by plot.sh, with `scratch`.
set terminal svg size 900,1000 font 'sans-serif,13' background '#ffffff'
set multiplot layout 3,1
set grid xtics lc rgb '#dddddd'
set style fill solid 0.9 border rgb '#333333'
set logscale x
set ytics nomirror
set lmargin 27
set rmargin 14
box = 0.36

ours(name) = strstrt(name, 'perftool') > 0 ? 0x2a6fbb : 0xb9b9b9

# ---- what a pair costs
set title 'Entry and exit of an empty function: added time (ns)'
set xrange [5:3e6]
set format x '10^{%L}'
unset key
file = scratch.'/pairs'
stats file using 2 nooutput
set yrange [-0.7:STATS_records - 0.3]
plot file using 2:0:(5):2:($0 - box):($0 + box):(ours(strcol(1))):ytic(1) \
		with boxxyerror lc rgb variable, \
	file using 2:0:3:4 with xerrorbars pt 0 lc rgb '#333333', \
	file using 4:0:5 with labels left offset 1,0

# ---- how true a leg is
set title 'A leg: error of its mean (ns), by its length (us)'
set key left top
set xrange [0.07:1500]
set logscale y
set yrange [0.1:1e5]
set ytics auto
set format x '%g'
set format y '10^{%L}'
set grid ytics lc rgb '#dddddd'
plot scratch.'/fast' using 1:2:3:4 with yerrorlines pt 7 lw 2 \
		lc rgb '#2a6fbb' title 'fast', \
	scratch.'/int3' using 1:2:3:4 with yerrorlines pt 5 lw 2 \
		lc rgb '#d08020' title 'int3', \
	x < 1 ? 5 : x < 10 ? 10 : 5 * x with steps dt 2 lc rgb '#2a6fbb' \
		title 'goal, fast', \
	x < 1 ? 1 / 0 : x < 10 ? 200 : 20 * x with steps dt 2 lc rgb '#d08020' \
		title 'goal, int3'

# ---- a program at work
set title 'sqlite3 at work, 1, 100 and all functions of its library traced: times slower'
unset key
unset logscale y
set xrange [1:100]
set format x '%g'
unset grid
set grid xtics lc rgb '#dddddd'
file = scratch.'/sqlite'
stats file using 2 nooutput
set yrange [STATS_records - 0.3:-0.7]
plot file using 2:0:(1):2:($0 - box):($0 + box):(ours(strcol(1))):ytic(1) \
		with boxxyerror lc rgb variable, \
	file using 2:0:3:4 with xerrorbars pt 0 lc rgb '#333333', \
	file using 4:0:5 with labels left offset 1,0
unset multiplot
