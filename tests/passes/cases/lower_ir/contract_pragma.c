// What the pragma says holds to the end of its block; at file scope to the end of the file.
__rill_kernel__ void blocks(float a, float b, float c, float x[4])
{
    {
#pragma STDC FP_CONTRACT OFF
        x[0] = a * b + c;
        x[1] += a * b;
    }
    x[2] = a * b + c;
}

#pragma STDC FP_CONTRACT OFF
__rill_kernel__ void file(float a, float b, float c, float x[4])
{
    x[0] = a * b + c;
    x[1] -= a * b;
    float t = (x[2] -= a * b);
    x[3] = t;
    {
#pragma STDC FP_CONTRACT ON
        x[0] = a * b + c;
    }
    x[1] = c - a * b;
}
