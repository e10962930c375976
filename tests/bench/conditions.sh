# shellcheck shell=bash disable=SC2154
# Sourced by run.sh: what a hit costs that has an expression to evaluate, beside
# one that has none, at a place whose variables are on the stack (as at -O0) and
# at one where they are in registers (-O2).

conditions_places=(stack register)
conditions_source=tests/bench/conditions.c
conditions_hits=20000

# the condition of each, or the command that makes it what it is
declare -A conditions_of=(
	[none]=1 # and not evaluated: see below
	[constant]=1
	[local]='local >= 0'
	[member]='p->x > 3'
	[string]='p->name == "lrange"'
)
declare -A conditions_then=(
	[none]='set conditions name'
	[by]='split node 1 by=local'
	[leg]='add leg 1 1'
	[key]='add leg 1 1 key=local'
)
conditions_order=(none constant local member string by leg key)

conditions_place() { # PLACE: FILE:LINE, where `local` has its value
	local name=on_stack
	[ "$1" = stack ] || name=in_register
	echo "conditions.c:$(sed -n "/the line of $name /=" \
		"$conditions_source")"
}

measure_conditions() {
	local place what

	for place in "${conditions_places[@]}"; do
		for what in "${conditions_order[@]}"; do
			record "condition-$place-$what" "$(ns_of "$tool" \
				-q -n -b -e "break $(conditions_place "$place") \
				if ${conditions_of[$what]-1}" \
				-e 'collect nodes' \
				-e "${conditions_then[$what]-show conditions}" \
				-e 'monitor on' -e run \
				"$bench/conditions" "$place" $conditions_hits)"
		done
	done
}

conditions_row() { # PLACE WHAT TEXT [GOAL]
	local own ratio

	own=$(median "condition-$1-$2")
	ratio=$(calc "$own / $(median "condition-$1-none")")
	row "$3" "$own" ns "($(spread "condition-$1-$2"))"
	row "" "$ratio" x "of none${4+; $(verdict "$ratio" '<=' "$4")}"
}

show_conditions() {
	local place

	echo "A hit of a node with an expression (medians of $rounds rounds)"
	for place in "${conditions_places[@]}"; do
		row "none, variables: $place" \
			"$(median "condition-$place-none")" ns \
			"($(spread "condition-$place-none"))"
		conditions_row "$place" constant '  1' 1.05
		conditions_row "$place" local '  a local' 1.2
		conditions_row "$place" member '  a member: p->x > 3'
		conditions_row "$place" string '  a string: p->name == "lrange"'
		conditions_row "$place" by '  by= a local'
		conditions_row "$place" leg '  a leg'
		conditions_row "$place" key '  a leg, key= a local'
	done
}
