-- LuaJIT at work: for each number that it reads it makes so many calls into C,
-- from code that it compiles while it runs, and as many more from new code.
local ffi = require "ffi"
ffi.cdef "int getppid(void);"

print "ready"
io.flush()
for line in io.lines() do
	local calls, sum, words = 0, 0, {}
	for i = 1, tonumber(line) do
		if ffi.C.getppid() > 0 then calls = calls + 1 end
	end
	for i = 1, 50 do
		local f = assert(loadstring("local ffi, sum = require 'ffi', 0 " ..
			"for i = 1, 100 do sum = sum + i * " .. i .. " end " ..
			"return ffi.C.getppid() > 0 and sum"))
		sum = sum + f()
		calls = calls + 1
	end
	for i = 1, 2000 do words[i] = "word " .. i end
	print("calls " .. calls .. " sum " .. sum .. " " .. #table.concat(words))
	io.flush()
end
