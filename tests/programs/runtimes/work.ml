(* OCaml at work: calls, exceptions that leave many of them, calls into C, and
   garbage. It counts for itself, for each number that it reads. *)
exception Odd

let calls = ref 0
let raised = ref 0
let parents = ref 0

let rec descend depth seed =
  if depth > 0 then 1 + descend (depth - 1) (seed + 1)
  else if seed land 1 = 1 then raise Odd
  else seed

let attempt seed =
  let made = List.init 50 (fun i -> (i, string_of_int (i + seed))) in
  incr calls;
  try List.length made + descend 20 seed
  with Odd -> incr raised; 0

let work count =
  let sum = ref 0 in
  calls := 0; raised := 0; parents := 0;
  for i = 1 to count do
    sum := !sum + attempt i;
    if Unix.getppid () > 0 then incr parents
  done;
  Printf.printf "calls %d raised %d parents %d sum %d\n%!"
    !calls !raised !parents !sum

let () =
  print_endline "ready";
  try while true do work (int_of_string (input_line stdin)) done
  with End_of_file -> ()
